/** Things that fields ask for: the API names its fields, a person needs what to enter. */
const wanted: readonly (readonly [field: RegExp, what: string, example: string])[] = [
  [/^(?:publisher_)?domain$|^brand$/, 'a domain', 'acme.example'],
  [/^(?:agent_)?url$|^agent$/, 'the address of an agent', 'https://agent.example/mcp'],
  [/^email$/, 'an email address', 'ann@acme.example'],
]

const OF_FIELD = /^(\w+): (.+)$/s

/** Describes why the API refused a form as a sentence to the person who sent it, with what was entered. */
export function describeRefusal(text: string, sent: object = {}): string {
  const [, field, fault] = OF_FIELD.exec(text) ?? []
  if (field === undefined || fault === undefined) return toSentence(text)
  const entered: unknown = (sent as Record<string, unknown>)[field]
  const [, what, example] = wanted.find(([pattern]) => pattern.test(field)) ?? []
  if (
    what === undefined ||
    typeof entered !== 'string' ||
    !/^must (?:be (?:an? |the )|not be empty)/.test(fault)
  )
    return toSentence(`${field.replaceAll('_', ' ')} ${fault}`)
  return entered.trim() === ''
    ? `Enter ${what}, such as ${example}.`
    : `“${entered}” is not ${what}. Enter one such as ${example}.`
}

function toSentence(text: string): string {
  const first = /^[a-z][\w-]*(?:\s|$)/.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0)
  return `${first}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}
