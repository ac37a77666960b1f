import { faultCodes } from '../model/fault-codes.ts'
import type { Fault } from '../model/observation.ts'

const QUOTED = /"(?:[^"\\]|\\.)*"/g
const MEANT = /: did you mean ("+)\?/
/** Matches the colon behind which a message says what to do. */
const INSTRUCTION =
  /: (?=(?:add|allow|ask|check|declare|delete|encode|fix|give|keep|leave|let|list|make|merge|move|name|pin|point|publish|put|remove|renew|repair|replace|run|save|say|send|serve|set|shorten|take|try|upload|use|wait|write)\b)/
const NOT_ALLOWED = 'is not an allowed value'
const RULE = /(?:^|[ ,;])(?:must (be|have|list|name|start|use)|but may contain only) /
/** Matches the value that is there instead of what the rule asks for. */
const INSTEAD = /, not (?:"(?:[^"\\]|\\.)*"|[^;,]+)/
const verbs: Readonly<Record<string, string>> = {
  '': 'write',
  be: 'write',
  have: 'use',
  start: 'start it',
}
/** Notation of a list and of an object, for who does not know JSON. */
const brackets: Readonly<Record<string, string>> = {
  'a list': ' in brackets: [ … ]',
  'an object': ' in braces: { … }',
  'a JSON object': ' in braces: { … }',
}

/**
 * Describes how to repair a fault: by the value that was meant, the instruction in its message, what its rule
 * asks for, or else the advice for its code.
 */
export function describeRepair({ code, message }: Pick<Fault, 'code' | 'message'>): string {
  // A quoted value of the file must not be taken for our own words.
  const words = message.replace(QUOTED, quoted => '"'.repeat(quoted.length))
  const meant = MEANT.exec(words)
  if (meant)
    return `write ${message.slice(meant.index + ': did you mean '.length, meant.index + meant[0].length - 1)}`
  const instruction = INSTRUCTION.exec(words)
  if (instruction) return message.slice(instruction.index + 2)
  const rule = RULE.exec(words)
  if (!rule) return faultCodes[code].repair
  const [written, verb = ''] = rule
  const asked = message.slice(rule.index + written.length).replace(INSTEAD, '')
  return `${verbs[verb] ?? verb} ${asked}${brackets[asked] ?? ''}`
}

/**
 * Cuts the repair off the end of a message, for readers who see it beside the message. What is left still says what is
 * wrong, not only which value is there.
 */
export function omitRepair(message: string, repair: string): string {
  const asked = repair.replace(/^write /, '')
  const guess = message.indexOf(`: did you mean ${asked}? It `)
  if (guess >= 0) return `${message.slice(0, guess)}, which ${NOT_ALLOWED}`
  const ends = [
    [`: ${repair}`, ''],
    [`: did you mean ${asked}?`, ''],
    [` and must be ${asked}`, ''],
    [` but may contain only ${asked}`, `, which ${NOT_ALLOWED}`],
    [`, must be ${asked}`, ''],
    [` but must be ${asked}`, `, which ${denyKind(asked)}`],
    [` must be ${asked}`, ` ${denyKind(asked)}`],
  ] as const
  const end = ends.find(([text]) => message.endsWith(text))
  return end === undefined ? message : message.slice(0, -end[0].length) + end[1]
}

/** Says that a value is not of the kind that is asked for: its examples are left to the repair. */
function denyKind(asked: string): string {
  const [kind = ''] = asked.split(/,? such as |[,;:] /, 1)
  return /^an? /.test(kind) ? `is not ${kind}` : NOT_ALLOWED
}
