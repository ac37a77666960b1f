/** A part of a source file in which every line, and every statement, must matter. */
export interface Region {
  file: string
  /** The line it begins after, and the first one after that which it ends before. */
  after: string
  before: string
  /** Only these of its lines, where others are about something else. */
  only?: RegExp
}

/** Code that decides which answers are derived again. */
export const regions: Region[] = [
  {
    file: 'pipeline/writer/dependencies.ts',
    after: '): Promise<Subjects> {',
    before: '}',
  },
  {
    file: 'pipeline/writer/dependencies.ts',
    after: '  derived: readonly Derived<string, unknown>[],',
    before: '}',
    only: /^ {2}/,
  },
  {
    file: 'pipeline/writer/dependencies.ts',
    after: 'function* toDependencyRows(rule: Rule, derived: readonly Derived<string, unknown>[]) {',
    before: '}',
  },
  {
    file: 'pipeline/writer/dependencies.ts',
    after: 'const rulesByKind: Record<SourceKind, Rule | undefined> = {',
    before: '}',
    only: /brand|publisher/,
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    after: 'export async function applyObservations(',
    before: '}',
    only: /^ {2}(const rows|await writeRows|return)/,
  },
  {
    file: 'pipeline/writer/crawl/transitions.ts',
    after: 'function isOtherValidity(',
    before: '}',
    only: /^ {4}isPast/,
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    after: 'export async function applyTransitions(db: Database, now: Instant): Promise<Turned> {',
    before: '}',
  },
  {
    file: 'pipeline/writer/derivation-runner.ts',
    after: '  goOn(files: Files): boolean {',
    before: '  }',
  },
  {
    file: 'pipeline/writer/derivation-runner.ts',
    after: '  result(now: Instant): Derived<Subject, Answer> {',
    before: '  }',
  },
  { file: 'pipeline/writer/derivation-runner.ts', after: '  #noteWakes(): void {', before: '  }' },
  {
    file: 'pipeline/writer/apply-batch.ts',
    after: 'async function applyBatchObservations(',
    before: '}',
    only: /applyTransitions/,
  },
  {
    file: 'pipeline/writer/apply-batch.ts',
    after: 'async function deriveInvalidated(',
    before: '}',
    only: /findSubjects/,
  },
  {
    file: 'pipeline/writer/entities/house-claims.ts',
    after: 'export async function updateHouseClaims(',
    before: '}',
    only: /deleteRows/,
  },
  {
    file: 'pipeline/writer/rederive.ts',
    after: 'export async function deriveAgain(',
    before: '}',
    only: /recordDependencies|addHops|addDomains/,
  },
]

/** Conditions that share a line with others: what stands there, and the same without one of them. */
export const conditions: { file: string; of: string; without: string[] }[] = [
  {
    file: 'pipeline/writer/rederive.ts',
    of: '[...subjects.brand, ...shown]',
    without: ['subjects.brand'],
  },
  {
    file: 'pipeline/writer/apply-batch.ts',
    of: '[...subjects.brand, ...claimed]',
    without: ['subjects.brand'],
  },
  {
    file: 'pipeline/writer/entities/brands.ts',
    of: '[...own.asked, ...house.asked]',
    without: ['own.asked'],
  },
  {
    file: 'pipeline/writer/entities/brands.ts',
    of: '[own.wakesAt, house.wakesAt]',
    without: ['[own.wakesAt]'],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: 'isNew ||\n      (before.hash !== null && changesValidity) ||\n',
    without: ['(before.hash !== null && changesValidity) ||\n', 'isNew ||\n'],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: '(isOtherOutcome(attempt) && ',
    without: ['(false && '],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: 'isFirst || changesValidity || isOtherEffect(attempt)',
    without: [
      'changesValidity || isOtherEffect(attempt)',
      'isFirst || isOtherEffect(attempt)',
      'isFirst || changesValidity',
    ],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: 'return after.effect !== before.effect || hasTurned',
    without: ['return hasTurned', 'return after.effect !== before.effect'],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: 'if (!isOwn && !(mayMatter && (await db.one(IS_NEEDED, { kind, location })))) continue',
    without: [
      'if (!isOwn) continue',
      'if (!(mayMatter && (await db.one(IS_NEEDED, { kind, location })))) continue',
    ],
  },
  {
    file: 'pipeline/writer/crawl/transitions.ts',
    of: 'isNew || isOtherResult(look, observation)',
    without: ['isOtherResult(look, observation)', 'isNew'],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: "(effect !== 'success' || before.effect !== 'success')",
    without: ["effect !== 'success'", "before.effect !== 'success'"],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: 'Math.min(before.attempted_at ?? previous, previous)',
    without: ['previous', 'before.attempted_at ?? previous'],
  },
  {
    file: 'pipeline/writer/crawl/transitions.ts',
    of: 'Math.min(stale, ended)',
    without: ['stale', 'ended'],
  },
  {
    file: 'pipeline/writer/crawl/crawl-state.ts',
    of: 'false as "is_new [boolean]", hash is not null as "is_own [boolean]"',
    without: ['false as "is_new [boolean]", false as "is_own [boolean]"'],
  },
]

/** Lines whose removal changes no answer, and why they exist. */
export const harmless: Record<string, string> = {
  'if (derived.length === 0) return': 'only saves work',
  'if (source === undefined) return false': 'every rule asks something',
  "if (!this.#step.done) throw new Error('a rule was read before it had an answer')":
    'no caller does',
  'await addHops(db, untried, context)': 'no dependency: the golden nights notice',
  'await addDomains(db, mentioned, { ...context, max: context.frontierMax })':
    'no dependency: file-changes.test.ts notices',
  '=> isFirst || isOtherEffect(attempt)':
    'needs a rare sequence of outcomes: file-changes.test.ts notices',
  '=> (before.hash !== null && changesValidity) ||\n':
    'no observation is applied: the golden nights notice',
  'answer: this.#step.value,': 'no dependency: without answers nothing differs',
  '=> ended': 'ended_at wakes the rule too, while it is in the future',
  'if(stale_at > $now, stale_at, null),': 'ended_at wakes the rule too, while it is in the future',
}

export interface Mutant {
  file: string
  line: number
  /** Text that is removed. */
  text: string
  source: string
}

/** Lists copies of a source that lack one statement each: a line, with the lines indented below it. */
export function listMutants(region: Region, source: string): Mutant[] {
  const lines = source.split('\n')
  const first = lines.findIndex(line => line.startsWith(region.after)) + 1
  const length = lines.slice(first).findIndex(line => line.startsWith(region.before))
  if (first === 0 || length < 1) throw new Error(`${region.file} has no ${region.after}`)
  return Array.from({ length }, (_, i) => first + i).flatMap(at => {
    const line = lines[at]!
    if (!/\w/.test(line) || /^\s*(\/\/|\*|\/\*)/.test(line)) return []
    if (region.only && !region.only.test(line)) return []
    const taken = lines.slice(at, findEnd(lines, at, first + length))
    const left = [...lines.slice(0, at), ...lines.slice(at + taken.length)]
    const text = taken.map(line => line.trim()).join(' ')
    return [{ file: region.file, line: at + 1, text, source: left.join('\n') }]
  })
}

/** Lists copies of a source that lack one condition each. */
export function listConditionMutants(
  { file, of, without }: (typeof conditions)[number],
  source: string,
): Mutant[] {
  const at = source.indexOf(of)
  if (at === -1 || source.includes(of, at + 1)) throw new Error(`${file} has not one ${of}`)
  const line = source.slice(0, at).split('\n').length
  return without.map(text => ({ file, line, text: `=> ${text}`, source: source.replace(of, text) }))
}

function findEnd(lines: readonly string[], at: number, limit: number): number {
  const depth = measureIndent(lines[at]!)
  let end = at + 1
  while (end < limit && measureIndent(lines[end]!) > depth) end++
  const closes =
    end < limit && measureIndent(lines[end]!) === depth && /^\s*[)\]}`]/.test(lines[end]!)
  return closes ? end + 1 : end
}

function measureIndent(line: string): number {
  return line.trim() === '' ? Number.POSITIVE_INFINITY : line.search(/\S/)
}
