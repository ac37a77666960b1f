import type { StoryboardStep } from '../model/storyboards/storyboard.ts'
import { isCallerRefused, type ValidationResult } from '../model/storyboards/storyboard-check.ts'
import type { StepGuidance } from '../model/storyboards/storyboard-result.ts'
import type { RunnableStoryboard } from './catalog.ts'
import { shortenText } from './redact.ts'

const DOCS = 'https://docs.adcontextprotocol.org/docs'
const SCHEMAS = 'https://adcontextprotocol.org/schemas'
const SENTENCE_CHARS_MAX = 600

/** Says what an agent has to change, by the kind of the check that failed first. */
const fixes: Readonly<Record<string, (check: ValidationResult, shown: string) => string>> = {
  success: check => {
    if (check.expected === 'a refusal') return 'Refuse this request, with an error that has a code.'
    return isCallerRefused(check)
      ? 'Save a credential for testing, or accept this request: it is valid.'
      : 'Accept this request: it is valid.'
  },
  response_schema: ({ path }, shown) => `Change ${path ?? 'the response'}: it ${shown}.`,
  field_present: ({ path }) => `Return ${path}.`,
  field_absent: ({ path }) => `Leave out ${path}.`,
  field_value: ({ path }, shown) => `Return ${path}: ${shown}.`,
  error_code: (_, shown) => `Refuse this request with the error code ${shown}.`,
  http_status: (_, shown) => `Return the status ${shown}.`,
  any_of: () => 'Make every step pass in one of the phases before this: one is enough.',
  output: ({ path }) => `Return ${path}: later calls need it.`,
  no_secret_echo: () => 'Leave the credential out of the response.',
  conflict_tells_nothing: () => 'Reveal nothing of the first request in this refusal.',
  status_monotonic: () => 'Keep to the lifecycle: report only statuses that may follow the last.',
  denial_blocks_mutation: () => 'Refuse requests under a plan that was denied.',
  webhook_received: () => 'Post the webhook to the address in push_notification_config.',
  webhook_keys: () => 'Send the same idempotency_key with each attempt at a webhook.',
  webhook_signature: () => 'Sign each webhook (RFC 9421) with a key that your brand.json leads to.',
}

/** Describes a failed step for the owner of the agent: the rule, its sentence and place, and what to change. */
export function buildGuidance(
  step: StoryboardStep,
  failed: ValidationResult | undefined,
  { id, source }: Pick<RunnableStoryboard, 'id' | 'source'>,
): StepGuidance {
  const check = failed?.check ?? 'answer'
  const reference_url = findReference(step, check, source.version)
  return {
    rule: `${id}/${step.id}#${check}`,
    sentence: shortenText(failed?.description ?? step.expected, SENTENCE_CHARS_MAX),
    expected: shortenMarkdown(step.expected),
    ...(reference_url !== undefined && { reference_url }),
    fix: failed === undefined ? 'Respond in time, over MCP.' : describeFix(failed),
  }
}

/** Cleans and shortens a text whose lists need their lines. */
function shortenMarkdown(text: string): string {
  const lines = text.split('\n').map(line => shortenText(line, SENTENCE_CHARS_MAX))
  const clean = lines.join('\n').trim()
  return clean.length > SENTENCE_CHARS_MAX ? `${clean.slice(0, SENTENCE_CHARS_MAX)}…` : clean
}

function describeFix(failed: ValidationResult): string {
  const { check, path, expected } = failed
  const options = Array.isArray(expected) ? expected : [expected]
  const shown = options.map(showOption).join(' or ')
  const kind = check.replace(/^envelope_/, '').replace(/_(or_absent|in)$/, '')
  const fix = fixes[kind]?.(failed, shown)
  return fix ?? `Change ${path ?? 'the response'}: ${shown} is expected.`
}

const showOption = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Finds the page or schema of the protocol that a check is about. */
function findReference(
  { doc_ref, response_schema_ref }: StoryboardStep,
  check: string,
  version: string,
): string | undefined {
  if (check === 'response_schema' && response_schema_ref !== undefined) {
    return `${SCHEMAS}/${version}/${response_schema_ref}`
  }
  return doc_ref?.startsWith('/') ? `${DOCS}${doc_ref}` : undefined
}
