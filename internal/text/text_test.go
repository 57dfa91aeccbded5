package text_test

import (
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"shelfd/internal/text"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"perché PERCHE\u0301 Perche", "perche perche perche"},
		{"Ｆｕｌｌ　ｗｉｄｔｈ", "full width"},
		{"ΆΈ ς ϐ", "αε σ β"},
		{"Й й й ё", "й й й е"},
		{"İstanbul ISPARTA ı", "istanbul isparta i"},
		{"ẞ ß ﬃ ǆ", "ss ss ffi dz"},
		{"がハ\u309a", "がパ"},
		{"Việt", "viet"},
		{"\xff", "\ufffd"},
		{"a\u0301\u0327b", "ab"},
		{"שָׁלוֹם", "שָׁלוֹם"},
	} {
		if got := text.Fold(c.in); got != c.want {
			t.Errorf("Fold(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestFoldTwiceIsFoldOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := textOf().Draw(t, "text")
		if once := text.Fold(s); text.Fold(once) != once {
			t.Fatalf("%q: %q then %q", s, once, text.Fold(once))
		}
	})
}

func TestSlug(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Boiler & Valves", "boiler-valves"},
		{"  C++ (2nd ed.) ", "c-2nd-ed"},
		{"第二十二条　总则", "第二十二条-总则"},
		{"Perché È Così", "perché-è-così"},
		{"!!!", "section"},
		{"", "section"},
		{"ＡＢＣ", "abc"},
		{"हिन्दी भाषा", "हिन्दी-भाषा"},
		{"a--b__c", "a-b-c"},
	} {
		if got := text.Slug(c.in); got != c.want {
			t.Errorf("Slug(%q) = %q, want %q", c.in, got, c.want)
		}
		if again := text.Slug(c.want); again != c.want {
			t.Errorf("Slug(%q) = %q", c.want, again)
		}
	}
}

func TestPathShowsForeignBytes(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"s/a b.md", "s/a b.md"},
		{"s/perche\u0301.md", "s/perché.md"},
		{"s/caff\xe8.md", "s/caff%E8.md"},
		{"\xff/e\u0301\x80", "%FF/é%80"},
		{"s/100%.md", "s/100%.md"},
		{"s/\ufffd.md", "s/\ufffd.md"},
	} {
		if got := text.Path(c.in); got != c.want {
			t.Errorf("Path(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "one two, three!": 6, "中文": 2, "用 Go 写": 4, "don't": 4, "perche\u0301": 2, "--- |": 0, "v1.2": 4, "か\u3099": 2,
	} {
		if got := text.Units(s); got != want {
			t.Errorf("Units(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "中文": 2, "中文a": 3, "àèìò": 1, "한글 abc": 3} {
		if got := text.Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestUTF16Len(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "中": 1, "😀": 2, "a\xffb": 3} {
		if got := text.UTF16Len(s); got != want {
			t.Errorf("UTF16Len(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b      string
		max, want int
	}{
		{"", "", 2, 0},
		{"valve", "valve", 0, 0},
		{"valve", "vlave", 2, 1},
		{"valve", "valves", 2, 1},
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3},
		{"ca", "abc", 3, 3},
		{"perché", "perche", 1, 1},
		{"abc", "", 5, 3},
		{"abcdef", "", 2, 3},
		{"部署", "署部", 2, 1},
	} {
		if got := text.Distance(c.a, c.b, c.max); got != c.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", c.a, c.b, c.max, got, c.want)
		}
	}
}

func TestDistanceBoundOnlyCuts(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,7}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, limit := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(0, 6).Draw(t, "max")
		want := min(text.Distance(a, b, 99), limit+1)
		if got := text.Distance(a, b, limit); got != want || got != text.Distance(b, a, limit) {
			t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	})
}

func TestLanguageOfOrdinaryParagraphs(t *testing.T) {
	for want, s := range map[string]string{
		"en": "The boiler must be inspected once a year. Before you open the valve, make sure that the pressure has dropped and that nobody is standing in front of it.",
		"it": "La caldaia deve essere controllata una volta all'anno. Prima di aprire la valvola, assicurarsi che la pressione sia scesa e che nessuno si trovi davanti.",
		"zh": "锅炉每年必须检查一次。打开阀门之前，请确保压力已经下降，并且前面没有人。使用 shelfd serve 命令启动服务。",
		"ja": "ボイラーは年に一度点検する必要があります。バルブを開く前に、圧力が下がっていることを確認してください。",
		"ko": "보일러는 일 년에 한 번 점검해야 합니다. 밸브를 열기 전에 압력이 내려갔는지 확인하십시오.",
		"de": "Der Kessel muss einmal im Jahr geprüft werden. Bevor Sie das Ventil öffnen, vergewissern Sie sich, dass der Druck gefallen ist und niemand davor steht.",
		"fr": "La chaudière doit être contrôlée une fois par an. Avant d'ouvrir la vanne, assurez-vous que la pression est tombée et que personne ne se trouve devant.",
		"es": "La caldera debe revisarse una vez al año. Antes de abrir la válvula, asegúrese de que la presión ha bajado y de que no hay nadie delante de ella.",
		"pt": "A caldeira deve ser inspecionada uma vez por ano. Antes de abrir a válvula, certifique-se de que a pressão baixou e de que não há ninguém à frente dela.",
		"ru": "Котёл необходимо проверять раз в год. Прежде чем открыть клапан, убедитесь, что давление упало и что перед ним никто не стоит.",
		"nl": "De ketel moet één keer per jaar worden gecontroleerd. Zorg ervoor dat de druk is gedaald en dat er niemand voor staat voordat u de klep opent.",
		"uk": "Котел необхідно перевіряти раз на рік. Перш ніж відкрити клапан, переконайтеся, що тиск упав.",
		"el": "Ο λέβητας πρέπει να ελέγχεται μία φορά το χρόνο.",
	} {
		if got := text.Language(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestLanguageOfAFewWords(t *testing.T) {
	for s, want := range map[string]string{
		"This guide explains deployments.":          "en",
		"# Pump\n\nThe pump runs.":                  "en",
		"Notes about the meeting with suppliers":    "en",
		"I contratti di locazione sono registrati.": "it",
		"Ogni caldaia ha una valvola.":              "it",
		"Die Verträge sind unterschrieben.":         "de",
		"Les contrats sont signés.":                 "fr",
		"TODO: buy milk":                            "",
		"Running pumps quickly":                     "",
	} {
		if got := text.Language(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestLanguagesAreNamedByTheirTags(t *testing.T) {
	for tag, want := range map[string]string{"it": "it", "EN": "en", "pt_BR": "pt", " zh-Hant-TW": "zh", "go": "", "English": "", "": ""} {
		if got := text.NamedLanguage(tag); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
}

func TestLanguageIsUnsureOnCode(t *testing.T) {
	for _, s := range []string{
		"", "1234 --- 5678", "ok",
		"for i := range xs {\n\tif err := f(i); err != nil {\n\t\treturn err\n\t}\n}\nfunc main() { fmt.Println(len(os.Args)) }",
		"def read(path):\n    with open(path) as f:\n        return [line for line in f if line is not None and line or True]",
		"#include <stdio.h>\nint main(void) { char *p = malloc(10); while (*p) p++; printf(\"%d\", p); return 0; }",
		"```\nThe words of this fence are all that there is, and it is code to us.\n```",
	} {
		if got := text.Language(s); got != "" {
			t.Errorf("%q: %q", s, got)
		}
	}
}

func TestStem(t *testing.T) {
	for _, c := range []struct{ language, a, b string }{
		{"en", "connecting", "connected"},
		{"en", "valves", "valve"},
		{"it", "valvole", "valvola"},
		{"it", "controllare", "controllato"},
		{"de", "ventile", "ventilen"},
		{"fr", "vannes", "vanne"},
		{"ru", "клапаны", "клапана"},
	} {
		if a, b := text.Stem(c.language, c.a), text.Stem(c.language, c.b); a != b {
			t.Errorf("%s: %q → %q, %q → %q", c.language, c.a, a, c.b, b)
		}
	}
	for _, language := range []string{"", "zh", "xx"} {
		if got := text.Stem(language, "valves"); got != "valves" {
			t.Errorf("Stem(%q) = %q", language, got)
		}
	}
}

func TestStemFromManyGoroutines(t *testing.T) {
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				for _, language := range text.Stemmed() {
					if got := text.Stem(language, "international"); !strings.HasPrefix(got, "inter") {
						t.Errorf("%s: %q", language, got)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestStopWordsAreFolded(t *testing.T) {
	for _, term := range []string{"the", "perche", "piu", "dell", "的", "我们", "t"} {
		if !text.Stop(term) || text.Fold(term) != term {
			t.Errorf("%q is no stop word", term)
		}
	}
	for _, term := range []string{"", "valve", "caldaia", "锅炉", "c", "x", "perché"} {
		if text.Stop(term) {
			t.Errorf("%q is a stop word", term)
		}
	}
}
