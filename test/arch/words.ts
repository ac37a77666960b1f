/** Rules of CONTRIBUTING.md on names and comments, as data. */

/** Verbs that functions begin with. */
export const verbs = new Set(
  `accept activate add adjust admit advance allows amend announce answer append apply approve ask assert assign attach
  authenticate authorize back begin bind bisect block bound build calculate call can cancel capitalize capture carry
  change check choose chunk claim classify clean clear clip close collect combine commit compact compare compile
  complete compress compute confirm connect contain continue contribute converse convert copy correct count cover
  covers crawl create cut damage deactivate decide declare decode decrypt defer define delete deliver demote deny
  derive describe detach detect diff disable discover dispatch draft drain draw drop edit emit encode encrypt end
  enqueue enrich enrol ensure enter erase escape estimate evict exchange exclude exec execute expect expire explain
  export extends extract fail feed fetch file fill filter find finish fit fix flag flush fold follow force forget
  format found freeze fuse generate get give grant group guard handle has hash heal hide hold identify ignore import
  includes index infer insert inspect install interpret intersect invalidate invent invert is issue iterate join judge
  keep launch learn leave limit link list listen load lock log look lower make map mark match matches may measure
  merge migrate misspell move mutate name narrow needs normalize note number observe obtain offer offers omit open
  order outline override pack pad paginate pair parse pass pause perform pick pin place plan poll post prefetch
  prepare preview print probe proceed project promise propose prove provide prune publish push put quarantine query
  queue quote raise rank rate reach reaches read readmit rebuild receive recognize record recover redact redirect
  reduce refine refresh refuse register reject release reload remember remove rename render renew reopen repeat
  replace replay reply report request require reschedule reserve reset resolve respond restart restore resume retain
  retarget retire retry return reuse revert review revoke rewrite rollback rotate round route run sanitize save say
  schedule score seal search see seed select send serve set settle shorten show shuffle shut sign simulate skip slice
  sort spawn spell split spread stage stamp start stat stop store stream strip submit subscribe subtract sum summarize
  supply suspend swap sync take tally tell terminate test throttle to touch trace track transform trim truncate try
  turn unite unlock unpack unregister unseal unwrap update upgrade uphold use validate verify view visit wait wake
  walk wants warn watch weigh with withdraw wrap write`.split(/\s+/),
)

/** Exported functions that are named otherwise, and why. */
export const nounFunctions: Readonly<Record<string, string>> = {
  allSettledOrThrow: 'says what it adds to Promise.allSettled',
  h: 'is the name that JSX is compiled to everywhere',
  inList: 'reads as the SQL that it writes',
  optional: 'reads as the member that it makes',
}

/** Words that a name must not have: they leave open whether it is a row, a report, a cache or a client. */
export const privateWords = new Set(
  `ahead desk fits given halves kept lane lanes news one ones seen shelf standing standings stands stirred told
  trouble troubles whom`.split(/\s+/),
)

/** Names that hold such a word, and why. */
export const wordExceptions: Readonly<Record<string, string>> = {
  first_seen_at: 'is a column',
  PROPERTIES_KEPT_MAX: 'bounds properties that are kept',
  findWithinOneEdit: 'counts edits',
  isWithinOneEdit: 'counts edits',
}

/** Endings that say more than a verb would: a moment, and JSON Schema's keyword. */
export const ofIdiom = /(^a|A)sOf$|^oneOf$/

/** Openings of a doc comment that leave its subject to be guessed. */
export const vagueOpening =
  /^(what|who|whose|whom|whoever|whatever|whether|where|when|how|which|of|those|such|as|the same)\b/i

/** Verbs of comments that no function begins with. */
const commentVerbs =
  'allocates brings caches compiles forecasts frees increments initializes kills lends refunds samples spends throws yields'

/** First words of a comment on a function: it says what the function does. */
const actions = new Set([
  ...[...verbs].flatMap(verb => [`${verb}s`, `${verb}es`, verb.replace(/y$/, 'ies')]),
  ...commentVerbs.split(' '),
  'has',
  'is',
])

/** Finds comments on functions and methods, with what they say. */
const functionComment =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n *(?:(?:export )?(?:default )?(?:async )?function\b|(?:(?:static|async|get|set|readonly) |\*)*#?\w+(?:<[^\n]*>)?\(|(?:export )?const \w+ = (?:async )?\([^\n]*\) =>)/g

/** Lists the comments on functions that do not begin with what the function does. */
function findIdleComments(source: string): string[] {
  const texts = Array.from(source.matchAll(functionComment), ([, text]) =>
    text!.replace(/^\s*\*\s?/gm, '').trim(),
  )
  return texts
    .filter(text => !actions.has(text.split(/[\s,.;:]/)[0]!.toLowerCase()))
    .map(text => `“${text.slice(0, 40)} …”: say first what the function does`)
}

/** Names of constants that say neither thing nor unit. */
export const vagueConstant =
  /^(FEW|MOST|MORE|LEAST|QUIET|LOUD|NIGHT|SHORTEST|LONGEST|GOOD_FOR|SOME|LINES|KINDS|PLAIN|PRIVATE|ANSWER_BYTES|SAMPLED)$/

/** Beginnings of constants that bound something: their names end in `_MAX`, `_MIN` or `_DEFAULT` instead. */
const boundFirst = /^(MOST|LARGEST|LONGEST|GREATEST|MAX|LEAST|SMALLEST|SHORTEST|FEWEST|MIN|USUAL)_/

/** Functions that a source declares at its top level. */
function declaredFunctions(source: string): string[] {
  return Array.from(
    source.matchAll(/^(?:export )?(?:default )?(?:async )?function\*? (\w+)/gm),
    ([, name]) => name!,
  )
}

/** Names that a source declares by a keyword or as the one parameter of an arrow function. */
function listDeclaredNames(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const declared = code.matchAll(
    /\b(?:const|let|class|interface|type|function\*?) (\w+)|(?<![\w.])(\w+) =>/g,
  )
  return Array.from(declared, ([, name, parameter]) => (name ?? parameter)!)
}

/** Lists the names of a source that hold a word which says nothing of the thing. */
function findPrivateWords(source: string): string[] {
  const found = listDeclaredNames(source).filter(name => {
    const words = name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[ _]/)
    return words.some(word => privateWords.has(word)) && !Object.hasOwn(wordExceptions, name)
  })
  return [...new Set(found)].map(name => `${name}: name what it is`)
}

/** What is wrong with the names and comments of a source, each as a sentence. */
export function findWordFaults(path: string, source: string): string[] {
  const functions = declaredFunctions(source).flatMap(name => {
    if (/[a-z]Of$/.test(name)) return [`${name}: begin with a verb instead of ending in Of`]
    const first = name.match(/^[a-z]+/)?.[0] ?? name
    const isNamed = verbs.has(first) || Object.hasOwn(nounFunctions, name)
    return isNamed ? [] : [`${name}: a function begins with a verb`]
  })
  const methods = Array.from(
    source.matchAll(
      /^ +(?:static |async |get |readonly |const |\*)*#?([a-z]\w*[a-z]Of)\b(?=\(|<|:| =)/gm,
    ),
    ([, name]) => name!,
  )
    .filter(name => !ofIdiom.test(name))
    .map(name => `${name}: begin with a verb instead of ending in Of`)
  const constants = Array.from(source.matchAll(/^(?:export )?const (\w+)/gm), ([, name]) => name!)
    .filter(name => vagueConstant.test(name))
    .map(name => `${name}: name the thing and its unit`)
  const bounds = Array.from(source.matchAll(/^(?:export )?const (\w+)/gm), ([, name]) => name!)
    .filter(name => boundFirst.test(name))
    .map(name => `${name}: end in _MAX, _MIN or _DEFAULT`)
  const comments = Array.from(source.matchAll(/\/\*\*([\s\S]*?)\*\//g), ([, text]) =>
    text!.replace(/^\s*\*\s?/gm, '').trim(),
  )
    .filter(text => vagueOpening.test(text))
    .map(text => `“${text.slice(0, 40)} …”: begin a comment with its verb or its object`)
  const literals = source.includes('...{ ') ? ['an object literal is spread in another one'] : []
  const words = findPrivateWords(source)
  const idle = findIdleComments(source)
  return [
    ...functions,
    ...methods,
    ...constants,
    ...bounds,
    ...comments,
    ...idle,
    ...literals,
    ...words,
  ].map(fault => `${path}: ${fault}`)
}
