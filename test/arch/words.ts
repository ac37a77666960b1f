/** Rules of CONTRIBUTING.md on names and comments, as data. */

/** Verbs that exported functions begin with. */
export const verbs = new Set(
  `accept add advance adjust admit announce answer append apply approve ask assert attach authenticate begin bind bisect block bound build
  calculate call can cancel carry check choose claim classify clean clear clip close collect combine commit compact compare complete compress
  compute confirm connect contain contribute convert copy count cover crawl create cut decide declare decode define delete deliver derive
  describe detach detect diff discover dispatch drain draw drop emit encode end enqueue enrich enrol ensure erase escape estimate
  evict exchange exclude execute expect expire explain export extract fail fetch file fill filter find finish fit flag flush fold follow forget
  format found freeze fuse generate get give grant group guard handle has hash heal hide hold identify ignore import infer insert
  inspect interpret intersect invalidate invert is issue iterate join judge keep launch learn leave limit link list listen load lock
  log look make mark match may measure merge migrate move name narrow needs normalize note number observe offer open order override
  pack paginate pair parse pass pause perform pick pin place plan poll post prefetch prepare print probe proceed project promise
  propose prove provide prune publish push put quarantine query queue quote raise rank rate reaches read readmit rebuild receive recognize
  record recover redact redirect reduce refine refresh refuse register reject release reload remember remove render renew repeat
  replace replay reply report request require reschedule reserve reset resolve respond restart restore resume retain retarget
  retire retry return reuse revert review revoke rewrite rollback rotate route run sanitize save say schedule score search see
  select send serve set settle show shut sign skip slice sort spawn split spread stage stamp start stat stop store stream strip
  submit subscribe sum summarize supply suspend swap sync take tally tell terminate test throttle to touch trace track transform
  trim truncate try turn unite unlock unpack unregister unwrap update upgrade uphold use validate verify view visit wait wake walk wants
  warn watch weigh with withdraw wrap write`.split(/\s+/),
)

/** Exported functions that are named otherwise, and why. */
export const nounFunctions: Readonly<Record<string, string>> = {
  allSettledOrThrow: 'says what it adds to Promise.allSettled',
  inList: 'reads as the SQL that it writes',
  optional: 'reads as the member that it makes',
}

/** Openings of a doc comment that leave its subject to be guessed. */
export const riddle =
  /^(what|who|whose|whom|whoever|whatever|whether|where|when|how|which|of|those|such|as|the same)\b/i

/** Names of constants that say neither thing nor unit. */
export const vagueConstant =
  /^(FEW|MOST|MORE|LEAST|QUIET|LOUD|NIGHT|SHORTEST|LONGEST|GOOD_FOR|SOME)$/

/** Functions that a source exports or declares at its top level. */
export function declaredFunctions(source: string): { name: string; isExported: boolean }[] {
  return Array.from(
    source.matchAll(/^(export )?(?:default )?(?:async )?function\*? (\w+)/gm),
    ([, exported, name]) => ({ name: name!, isExported: exported !== undefined }),
  )
}

/** What is wrong with the names and comments of a source, each as a sentence. */
export function findWordFaults(path: string, source: string): string[] {
  const functions = declaredFunctions(source).flatMap(({ name, isExported }) => {
    if (/[a-z]Of$/.test(name)) return [`${name}: begin with a verb instead of ending in Of`]
    const first = name.match(/^[a-z]+/)?.[0] ?? name
    const isNamed = !isExported || verbs.has(first) || Object.hasOwn(nounFunctions, name)
    return isNamed ? [] : [`${name}: an exported function begins with a verb`]
  })
  const constants = Array.from(source.matchAll(/^(?:export )?const (\w+)/gm), ([, name]) => name!)
    .filter(name => vagueConstant.test(name))
    .map(name => `${name}: name the thing and its unit`)
  const comments = Array.from(source.matchAll(/\/\*\*([\s\S]*?)\*\//g), ([, text]) =>
    text!.replace(/^\s*\*\s?/gm, '').trim(),
  )
    .filter(text => riddle.test(text))
    .map(text => `“${text.slice(0, 40)} …”: begin a comment with its verb or its object`)
  const literals = source.includes('...{ ') ? ['an object literal is spread in another one'] : []
  return [...functions, ...constants, ...comments, ...literals].map(fault => `${path}: ${fault}`)
}
