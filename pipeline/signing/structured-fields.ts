import { type BareItem, type InnerList, isInnerList, parseDictionary } from 'structured-headers'

/** A signature as declared in `Signature-Input`. */
export interface SignatureInput {
  label: string
  /** Names of what is covered, in the order in which they are signed. */
  components: string[]
  params: ReadonlyMap<string, BareItem>
  /** The value as it was sent: the last line of the signature base repeats it byte for byte. */
  raw: string
}

/** Matches the text between commas; commas in quoted strings separate nothing. */
const MEMBERS = /(?:"(?:\\.|[^"\\])*"|[^",])+/gs

/** A member of a dictionary, apart from its neighbours: `label=value`. */
const LABELLED = /^([a-z*][a-z0-9_\-.*]*)=(.*)$/s

/**
 * Splits a dictionary field (RFC 9651) into its members as they were written, by label in their order.
 * Undefined if a label is repeated or a member has no value: by the field's own rule the last one would
 * win, and a signature must have one reading.
 */
function splitMembers(field: string): Map<string, string> | undefined {
  const parts = field.match(MEMBERS) ?? []
  if (parts.join(',') !== field) return undefined
  const members = new Map<string, string>()
  for (const part of parts) {
    const [, label, value = ''] = LABELLED.exec(part.trim()) ?? []
    if (label === undefined || members.has(label)) return undefined
    members.set(label, value)
  }
  return members
}

/** Parses a `Signature-Input` header. Undefined where it does not parse. */
export function parseSignatureInputs(field: string): SignatureInput[] | undefined {
  const members = splitMembers(field)
  if (!members) return undefined
  const inputs: SignatureInput[] = []
  for (const [label, raw] of members) {
    const member = parseMember(label, raw)
    if (!member || !isInnerList(member)) return undefined
    const components = readNames(member[0])
    if (!components) return undefined
    inputs.push({ label, components, params: member[1], raw })
  }
  return inputs
}

/**
 * Parses the byte sequences of a dictionary such as `Signature` or `Content-Digest`, by label and still
 * encoded. Both alphabets of Base64 are read, with padding or without; undefined if a value mixes them:
 * base64url has no padding.
 */
export function parseByteDictionary(field: string): Map<string, string> | undefined {
  const members = splitMembers(field)
  if (!members) return undefined
  const values = new Map<string, string>()
  for (const [label, raw] of members) {
    const [, encoded] = /^:([A-Za-z0-9+/_=-]*):$/.exec(raw) ?? []
    if (encoded === undefined || (/[-_]/.test(encoded) && /[+/=]/.test(encoded))) return undefined
    values.set(label, encoded)
  }
  return values
}

/** Reads the names of components; undefined if one has parameters, is not a string or is repeated. */
function readNames(items: InnerList[0]): string[] | undefined {
  const names = new Set<string>()
  for (const [name, params] of items) {
    if (typeof name !== 'string' || params.size > 0 || names.has(name)) return undefined
    names.add(name)
  }
  return [...names]
}

function parseMember(label: string, raw: string) {
  try {
    return parseDictionary(`${label}=${raw}`).get(label)
  } catch {
    return undefined
  }
}
