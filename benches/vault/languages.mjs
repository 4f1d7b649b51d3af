/**
 * What the generated notes are written in. `common` are a language's frequent words, in about that order; the rest of
 * its vocabulary is put together from `syllables`. Where `unspaced`, words follow each other without spaces. `share`
 * is how many notes of the vault are in the language, against the others.
 */
export const LANGUAGES = [
  {
    name: 'English',
    share: 8,
    common:
      'the of and to in that is was for with as on it be at by this from have not are but which they will about more when there time some into other only work year after through while project meeting week',
    syllables:
      'ber con den eth fal gar har in jo kel lor men nor os per quin ras sol tem ul ver wen yor zan ic ly ment tion',
  },
  {
    name: 'Deutsch',
    share: 3,
    common:
      'der die und das nicht ein für mit auf ist sich dem eine auch werden über noch wieder zwischen während',
    syllables: 'ab bei chen der ein fra ge hei ig keit lich mun nach ober pfle schaf stra ung ver wör zie über äu',
  },
  {
    name: 'Français',
    share: 2,
    common: 'le de la et les des que une pour dans est pas avec être même après depuis où déjà très',
    syllables: 'an bre ce dé eau fai gné han in jou lan mé nou oi pré que ré ser té ueil vi çon ê tion ment',
  },
  {
    name: 'Español',
    share: 2,
    common: 'de la que el en los del las por con una para más como está también año mañana después',
    syllables: 'a be ción da es fi gue hi lo mar ño ojo pre que ra sí ta ver vi yo zar dad mien to',
  },
  {
    name: 'Русский',
    share: 2,
    common: 'и в не на что как это по все она так его только ещё для после между потому',
    syllables: 'а бе во гра де ёж жи за ин ко ле мо на об пе ра ство те ук фе ход ци ча ша щи ость',
  },
  {
    name: 'Ελληνικά',
    share: 1,
    common: 'και το να του η της με που την από για είναι στην αυτό μετά',
    syllables: 'α βα γι δε εί ζω θη κα λο μέ νη ξέ πο ρι στο τη φα χρό ψη ώρα ος ία',
  },
  {
    name: 'العربية',
    share: 1,
    common: 'في من على إلى أن هذا التي كان مع بعد بين كل لم عند',
    syllables: 'با تر جم حا خي در رس سل شم صو طل عم غا فق كت لي مد نظ هو ين ات',
  },
  {
    name: 'हिन्दी',
    share: 1,
    common: 'के का में है की और को से यह नहीं लिए पर हैं था साथ बाद',
    syllables: 'अ का खे गा चि जन टि ता दि ना प्र बा भा मि या रू ला वि श्य सं हि क्ष',
  },
  {
    name: '한국어',
    share: 1,
    common: '그리고 있는 하는 것은 우리 오늘 회의 이번 위한 대한',
    syllables: '가 나 다 라 마 바 사 아 자 차 카 타 하 기 리 지 시 이 고 도 로 의 한 는 음',
  },
  {
    name: '日本語',
    share: 3,
    unspaced: true,
    common: 'の に は を た が で て と し れ さ ある いる この その 日本 会議 今日 資料 作業 確認',
    syllables: '会 議 日 本 語 計 画 資 料 作 業 確 認 時 間 開 発 問 題 解 決 研 究 海 山 川 り ま す ノ ー ト ア プ',
    stop: '。',
    comma: '、',
  },
  {
    name: '中文',
    share: 3,
    unspaced: true,
    common: '的 了 是 在 我 有 和 不 人 这 中 大 为 上 个 我们 时间 工作 问题 今天',
    syllables: '学 习 生 活 项 目 会 议 记 录 计 划 研 究 开 发 数 据 系 统 城 市 海 水 山 风 书 读 写 想 法',
    stop: '。',
    comma: '，',
  },
  {
    name: 'ไทย',
    share: 1,
    unspaced: true,
    common: 'ที่ และ ใน การ เป็น มี ของ ได้ ให้ ไม่ จะ กับ วันนี้',
    syllables: 'กา ขอ คน งาน จำ ชา ดี ตา ทำ นา บ้าน ปี พา มา ยา รู้ ลม วัน สี หา อา เรา',
    stop: ' ',
    comma: ' ',
  },
  {
    name: 'ភាសាខ្មែរ',
    share: 1,
    unspaced: true,
    common: 'និង នៅ ក្នុង ដែល ជា មាន បាន ការ ថ្ងៃ នេះ',
    syllables: 'កា ខែ គេ ងា ចូល ជួប ដី តា ថា ធំ នា បី ផ្ទះ ភាសា មក យើង រៀន លើ សៀវភៅ ហើយ',
    stop: '។',
    comma: ' ',
  },
];
