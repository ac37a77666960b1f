import type { z } from 'zod'
import { describeIssue } from '../validation-messages.ts'
import type { Setting } from './define-setting.ts'

const VALUE_CHARS_MAX = 60

/** Fault of one setting, or of several together. */
export interface SettingFault {
  /** The settings that it is about: checks of what they name are left out. */
  about: readonly string[]
  /** A line of the message at start. */
  text: string
}

/** Outcome of reading a setting: its value, or a sentence for the operator. */
export type ReadSetting = { value: unknown } | { fault: string }

/** Reads a setting from its text; undefined for its default. */
export function readSetting(
  name: string,
  { schema, secret }: Setting<z.ZodType>,
  text: string | undefined,
): ReadSetting {
  const read = schema.safeParse(text, { error: describeIssue, reportInput: true })
  if (read.success) return { value: read.data }
  const [{ path, message, input } = { path: [], message: 'is wrong', input: text }] =
    read.error.issues
  const place = path.length === 0 ? name : `${path.map(String).join('.')} in ${name}`
  // A message that does not say how the value must be has named the wrong part of it.
  const isShown = !secret && message.startsWith('must')
  return {
    fault: `${place} ${message}${isShown ? `; it is ${quote(path.length === 0 ? text : input)}` : ''}.`,
  }
}

/** Quotes the beginning of a wrong value, without the credentials of an address. */
function quote(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replace(
    /:\/\/[^/@\s]*@/g,
    '://…@',
  )
  const shown = text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text
  return typeof value === 'string' ? JSON.stringify(shown) : shown
}
