package correlate

import (
	"path"
	"strings"
	"unicode/utf8"

	"shelfd/internal/text"
)

// genericNames are titles and file names that name no one document, as terms.
const genericNames = `
readme,read me,index,overview,introduction,intro,home,main,summary,contents,table of contents,toc,about,start,
getting started,get started,quick start,quickstart,guide,user guide,tutorial,tutorials,reference,api,api reference,
faq,faqs,glossary,license,licence,licenses,copying,notice,changelog,change log,changes,history,news,release notes,
releases,contributing,contribute,contributors,code of conduct,security,security policy,support,authors,maintainers,
governance,todo,notes,note,docs,documentation,doc,manual,example,examples,demo,sample,template,test,tests,untitled,
new document,draft,misc,other,page,pages,default,install,installation,setup,usage,configuration,config,settings,
basics,concepts,architecture,design,development,troubleshooting,resources,links,references,see also,more,
leggimi,indice,introduzione,panoramica,guida,riepilogo,sommario,contenuti,note,esempio,esempi,licenza,novita,modello,
riferimenti,riferimento,installazione,configurazione,impostazioni,documentazione,manuale,risorse,storia,versioni,
概述,概览,简介,介绍,目录,索引,说明,首页,指南,教程,快速 速开 开始,入门,参考,示例,例子,文档,手册,更新 新日 日志,常见 见问 问题,总结,附录,配置,安装,使用
`

// genericName holds the generic names, each with the commas around it.
var genericName = "," + strings.ReplaceAll(genericNames, "\n", "") + ","

// names are what a mention of the document looks like.
func names(s Source) []string {
	var all []string
	for _, name := range append([]string{s.Title, stem(s.Path)}, s.Aliases...) {
		if phrase := namePhrase(name); telltale(phrase) {
			all = append(all, phrase)
		}
	}
	return unique(all)
}

// stem is the file name without its extension.
func stem(p string) string {
	base := path.Base(p)
	return strings.TrimSuffix(base, path.Ext(base))
}

// ownTitle is the title, or the file name where the title is generic and the file name is not: in a set of documents
// that all begin with "Summary", the title tells nothing.
func ownTitle(s Source) string {
	if isGeneric(namePhrase(s.Title)) && telltale(namePhrase(stem(s.Path))) {
		return stem(s.Path)
	}
	return s.Title
}

func isGeneric(phrase string) bool { return strings.Contains(genericName, ","+phrase+",") }

// namePhrase is a name as a run of terms that stands in every text that holds the name.
func namePhrase(name string) string {
	var b strings.Builder
	text.SegmentQuery(name, func(t text.Token) {
		if t.Kind == text.Ident {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Term)
	})
	return b.String()
}

// telltale says whether a name can be told from ordinary words: not generic, not made of stop words and numbers only,
// more than three letters or one CJK character.
func telltale(phrase string) bool {
	if phrase == "" || isGeneric(phrase) {
		return false
	}
	telling, letters := false, 0
	for term := range strings.SplitSeq(phrase, " ") {
		telling = telling || !isNumber(term) && !text.Stop(term)
		letters += weight(term)
	}
	return telling && letters > 3
}

// weight counts the letters of a term; a bigram counts as four, so that two CJK characters are enough for a name.
func weight(term string) int {
	if cjkLen([]byte(term)) > 1 {
		return 4
	}
	return utf8.RuneCountInString(term)
}
