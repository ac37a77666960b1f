/** A run in which the two runners name another step that failed first. */
interface Difference {
  id: string
  fault: string
  ours: string | undefined
  theirs: string | undefined
}

/** Differences that stay, each with the reason. */
const reasons: readonly { matches: (difference: Difference) => boolean; reason: string }[] = [
  {
    matches: ({ fault, ours }) => fault === 'answers without content' && ours === 'list_formats',
    reason:
      'the step has no checks, and the public runner takes a result that is empty for an answer to the task',
  },
  {
    matches: ({ ours, theirs }) =>
      ours === 'expect_key_stable_across_retries' && theirs === 'expect_signature_valid',
    reason:
      '“the runner MUST verify the 9421 signature on EVERY delivery including retries”, which the public one does a phase later',
  },
  {
    matches: ({ fault, ours }) =>
      fault === 'posts webhooks of another shape' && ours === 'expect_webhook_presence',
    reason: 'the step names a schema of the payload, by which the public runner does not check it',
  },
]

/** Finds why a difference is right; undefined where nobody argued it. */
export function findReason(difference: Difference): string | undefined {
  return reasons.find(({ matches }) => matches(difference))?.reason
}
