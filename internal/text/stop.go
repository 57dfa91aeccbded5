package text

import "strings"

// The stop words, folded: articles, pronouns, prepositions, conjunctions, auxiliaries, and what an apostrophe leaves.
const (
	englishStop = `a about above after again against all also although always am among an and another any anyone anything
are aren around as at be became because become been before behind being below between both but by came can cannot could
couldn d did didn do does doesn doing don done down during each either else etc even ever every everything few for
from further get gets getting give given go goes going got had hadn has hasn have haven having he her here hers herself
him himself his how however i if in instead into is isn it its itself just least less let like ll made make makes
many may maybe me might mightn more most much must mustn my myself need needs neither never next no none nor not
nothing now of off often on once one only onto or other others otherwise our ours ourselves out over own per please put
rather re really s same see seen several shall shan she should shouldn since so some something still such sure t take
than that the their theirs them themselves then there therefore these they thing things this those though through thus
to together too toward towards two under unless until up upon us use used uses using usually ve very want was wasn
way we well went were weren what whatever when whenever where whether which while who whoever whole whom whose why will
with within without won would wouldn yes yet you your yours yourself yourselves`
	italianStop = `a abbia abbiamo abbiano ad adesso affinche agl agli ai al alcun alcuna alcune alcuni all alla alle
allo allora altra altre altri altro anche ancora anziche aveva avevano avere aver avra bensi che chi ci cio cioe ciascun
ciascuna ciascuno coi col come comunque con contro cosa cosi cui d da dagl dagli dai dal dall dalla dalle dallo degl degli
dei del dell della delle dello dentro deve devono di dopo dove dovra due dunque durante e ecco ed egli ella entrambi era
erano eravamo essa esse essendo essere essi esso fa faceva fanno far fare fatto fino fra fu fuori furono gia gli
ha hai hanno ho i il in infatti inoltre insieme invece io l la le lei li lo loro lui lungo ma mai me meglio mentre mi mia
mie miei mio molta molte molti molto ne negl negli nei nel nell nella nelle nello nessun nessuna nessuno niente no noi non
nostra nostre nostri nostro nulla o od ogni ognuno oltre oppure ora per perche percio pero piu po poco poi poiche possono
potra potrebbe prima proprio propria puo qual quale quali qualche qualcosa qualsiasi qualunque quando quanta quante quanti
quanto quasi quella quelle quelli quello quest questa queste questi questo qui quindi sara saranno sarebbe se sei sebbene
secondo sempre senza si sia siamo siano sono sopra sotto sta stata state stati stato stesso stessa stesse stessi su sua
sue sugl sugli sui sul sull sulla sulle sullo suo suoi tale tali tanto te ti tra tu tua tue tuo tuoi tutta tutte tutti
tutto un una uno vari verso vi viene vengono voi vostra vostre vostri vostro`
	// Of Chinese, single characters and the pairs that bigrams make of function words.
	chineseStop = `的 了 是 在 和 与 及 或 也 都 就 而 但 被 把 对 从 到 以 为 于 之 其 这 那 此 该 每 各 某 等 个 们 你 我 他 她 它 您 吗 呢 吧 啊
着 过 地 得 所 则 即 若 如 因 由 向 很 更 最 不 没 有 会 能 可 要 将 让 使 用 来 去 上 下 中 里 一 二 两 时 后 前 再 又 还 只 并 且 至 给 跟
我们 你们 他们 它们 自己 这个 那个 这些 那些 这样 那样 这里 那里 这是 那么 这种 一个 一些 一种 一下 一样 一次 每个 各种 某些 其他 其中 其它
什么 怎么 如何 为什 哪些 哪个 是否 可以 可能 能够 不能 不会 不是 不要 不可 没有 已经 正在 将会 需要 必须 应该 应当 会在 就是 都是 也是 还是
只是 只有 而是 但是 不过 然而 因此 因为 由于 所以 如果 假如 虽然 即使 无论 除了 以及 并且 而且 或者 或是 还有 此外 另外 例如 比如 如下 以下
以上 之前 之后 之间 以前 以后 时候 的时 同时 当前 现在 目前 通过 根据 关于 对于 按照 为了 基于 使用 进行 具有 包括 包含 其实 非常 十分 更多
很多 许多 所有 全部 任何 的是 的一 是一 了一 在这 有一 中的 上的 下的 里的 您可 你可 们可 以在 以使 的话 来说 也可 可用 用于 作为 成为 来自`
)

var stopWords = indexStops()

func indexStops() map[string]struct{} {
	index := make(map[string]struct{})
	for _, list := range []string{englishStop, italianStop, chineseStop} {
		for _, term := range strings.Fields(list) {
			index[term] = struct{}{}
		}
	}
	return index
}

// Stop says whether a folded term is a stop word of English, Italian or Chinese.
func Stop(term string) bool {
	_, ok := stopWords[term]
	return ok
}
