import type { Artifact, ContentStandards, Exemplar, Policy } from './content-standards.ts'

/** The result of one rule for an artifact. */
export interface Feature {
  feature_id: string
  status: 'passed' | 'failed' | 'warning' | 'unevaluated'
  policy_id?: string
  explanation: string
}

export interface Judgement {
  verdict: 'pass' | 'fail'
  features: Feature[]
}

/** The feature that compares an artifact with those whose verdict is known. */
const EXEMPLARS = 'calibration_exemplars'

/** A sentence that forbids something, which its first group names. */
const PROHIBITION = /^(?:no|never|avoid|without|do not \w+|must not \w+)\s+(.+)$/i

/** Words of a prohibition that do not say what is forbidden. */
const FILLERS = new Set(
  (
    'a an and any all only or other the of in with about content imagery image images photo photos ' +
    'photography picture pictures video advertising ads ad language material product products'
  )
    .split(' ')
    .map(toStem),
)

/**
 * Judges an artifact by each rule. A rule that forbids something is broken by content that mentions it, one
 * about alternative text by an image without any; what other rules want cannot be judged from words. The
 * verdict is a fail where a rule is broken that must be kept.
 */
export function judgeContent(
  artifact: Artifact,
  { content }: ContentStandards,
  channel?: string,
): Judgement {
  const { policies, calibration_exemplars: exemplars = {} } = content
  const isKnown = (some: readonly Exemplar[] = []) => some.some(it => isSame(it, artifact))
  if (isKnown(exemplars.fail)) return judgeByExemplar('fail')
  if (isKnown(exemplars.pass)) return judgeByExemplar('pass')
  const words = new Set(listStrings(artifact).flatMap(listStems))
  const features = policies
    .filter(({ channels }) => !channel || !channels || channels.includes(channel))
    .map(policy => judgeByPolicy(policy, artifact, words))
  const verdict = features.some(({ status }) => status === 'failed') ? 'fail' : 'pass'
  return { verdict, features }
}

function judgeByExemplar(verdict: Judgement['verdict']): Judgement {
  const status = verdict === 'pass' ? 'passed' : 'failed'
  const explanation = `It is one of the examples that ${verdict}`
  return { verdict, features: [{ feature_id: EXEMPLARS, status, explanation }] }
}

function judgeByPolicy(policy: Policy, artifact: Artifact, words: ReadonlySet<string>): Feature {
  const { policy_id, enforcement, policy: text } = policy
  const feature = { feature_id: policy_id, policy_id }
  const broken = findBreach(text, artifact, words)
  if (broken === undefined) {
    const explanation = 'Cannot be judged from the words of the content'
    return { ...feature, status: 'unevaluated', explanation }
  }
  if (broken === '') return { ...feature, status: 'passed', explanation: 'Nothing breaks it' }
  return { ...feature, status: enforcement === 'must' ? 'failed' : 'warning', explanation: broken }
}

/** Finds what breaks a rule: empty where nothing does, undefined where that cannot be told. */
function findBreach(
  text: string,
  { assets }: Artifact,
  words: ReadonlySet<string>,
): string | undefined {
  if (/\balt(?:ernative)? text\b/i.test(text)) {
    const without = assets.filter(({ type, alt_text }) => type === 'image' && !alt_text).length
    return without > 0 ? `${without} of its images have no alternative text` : ''
  }
  const forbidden = text.split(/[.;!\n]/).flatMap(sentence => {
    const [, named] = PROHIBITION.exec(sentence.trim()) ?? []
    return named === undefined ? [] : listWords(named).filter(word => !FILLERS.has(toStem(word)))
  })
  if (forbidden.length === 0) return undefined
  const mentioned = forbidden.filter(word => words.has(toStem(word)))
  return mentioned.length > 0 ? `It mentions ${mentioned.join(', ')}` : ''
}

function isSame(exemplar: Exemplar, artifact: Artifact): boolean {
  if ('value' in exemplar) return exemplar.value === artifact.url
  const { property_rid, artifact_id } = exemplar
  return property_rid === artifact.property_rid && artifact_id === artifact.artifact_id
}

/** Lists all texts of a value, also addresses, whose words often tell what a picture shows. */
function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listStrings)
}

function listWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function listStems(text: string): string[] {
  return listWords(text).map(toStem)
}

/** Cuts the ending of an English word, so that its forms are alike. */
function toStem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|ly|es|s|e)$/, '') : word
}
