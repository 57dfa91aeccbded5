package text

import "strings"

// profile is the commonest words of a language, in lower case with their accents. Words that are also keywords of
// programming languages (for, if, in, is, not, or, and …) are left out of English: program text must not look English.
type profile struct{ language, words string }

var profiles = [...]profile{
	{"en", "the of to a that it be are this by on at you your can have has was which when will use their they an we its should must only what how may would into these more there been used"},
	{"it", "il lo la le gli di del della dei delle degli e è che un una uno per con non si da dal dalla nel nella sono questo questa come più se al alla ai alle anche i o su sul ha può essere viene tutti quando dell nell all ed cui"},
	{"de", "der die das und ist nicht ein eine einen einer zu mit für auf den dem des sie es im wird werden von als auch wenn sich oder kann sind bei aus nach um diese dieser wie hat zum zur durch einem nur noch über"},
	{"fr", "le la les de des du et est un une pour que qui dans en pas sur avec au aux ce cette il elle vous par plus ou ne se sont être son sa ses nous votre cela si comme peut lorsque d l à où fait"},
	{"es", "el la los las de del y es un una para que en no por con se al lo su sus como más esta este son o si puede cuando pero también está sobre ser hay desde cada entre usted nos fue donde muy"},
	{"pt", "o a os as de do da dos das e é um uma para que em não por com se no na nos nas ao à como mais este esta são ou pode quando mas também está sobre ser há você seu sua foi pelo pela isso cada"},
	{"nl", "de het een en van niet dat die te op voor met zijn aan er om ook als wordt worden kan bij naar uit door dit deze maar of hebben heeft wij je u uw wanneer geen nog meer kunt"},
	{"sv", "och att det som en på är av för med den till inte om ett har de i kan från så vi men eller var när du denna detta ska också vid under alla finns"},
	{"da", "og at det som en på er af for med den til ikke om et har de i kan fra så vi men eller var når du denne dette skal også ved hvis blev efter være"},
	{"no", "og at det som en på er av for med den til ikke om et har de i kan fra så vi men eller var når du denne dette skal også ved hvis ble etter være"},
	{"fi", "ja on ei se että oli ovat joka myös voi tai kun mutta niin kuin sen tämä ole mukaan sekä jos hän olla vain nyt jotka sitä"},
	{"pl", "i w na z do nie się że jest to o jak po od dla za przez przy są może tym być lub tego ale które który oraz tylko jako już ten"},
	{"cs", "a je se na v že to s z do pro o jako po by jsou být který které nebo tak aby ale při od za již pokud jeho také může není jen"},
	{"ro", "și în de la cu pe nu este un o care sunt din pentru să se mai ca sau prin după fi ce poate fost acest această ale lui dar"},
	{"hu", "a az és hogy nem is egy ez de van meg csak vagy mint ha már volt kell lehet ezt azt minden ki el aki"},
	{"tr", "ve bir bu için ile da de ne olarak gibi olan daha çok en kadar var değil sonra veya her ya ki ama göre"},
	{"id", "dan yang di untuk dengan ini dari pada adalah tidak dalam akan itu atau juga ke oleh dapat sebagai bisa anda ada lebih"},
	{"vi", "và của là có trong cho không được các một những với người này đã để khi từ đến như về nhưng cũng"},
}

// profileEnglish is the index of English in profiles.
const profileEnglish = 0

// englishKeywords are the stop words of English that programming languages share. They count only beside others.
const englishKeywords = " and as for in is or not if with from all "

// profileWords lists for each word the profiles that hold it, as indices.
var profileWords = indexProfiles()

func indexProfiles() map[string][]uint8 {
	index := make(map[string][]uint8)
	for i, p := range profiles {
		for _, word := range strings.Fields(p.words) {
			index[word] = append(index[word], uint8(i))
		}
	}
	return index
}
