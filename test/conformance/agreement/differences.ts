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
    matches: ({ fault, theirs }) =>
      fault === 'writes currencies in lower case' && theirs === undefined,
    reason:
      'the schemas of prices say `^[A-Z]{3}$`, and the public runner checks answers without their patterns',
  },
  {
    matches: ({ fault, ours }) => fault === 'speaks another version' && ours === undefined,
    reason:
      'the public client rewrites its requests for the version that it reads from the capabilities, which the agent then refuses; a storyboard is sent as it is written',
  },
]

/** Finds why a difference is right; undefined where nobody argued it. */
export function findReason(difference: Difference): string | undefined {
  return reasons.find(({ matches }) => matches(difference))?.reason
}
