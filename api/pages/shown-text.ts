import { stripPii } from '../../pipeline/core/pii.ts'
import { hideContacts } from '../../pipeline/parse/hide-contacts.ts'

/** The text of a file without contact data of people, which is not shown though its site publishes it. */
export interface ShownText {
  text: string
  /** True if the file holds no such data, so that this is all of it. */
  isComplete: boolean
}

/** Removes contact data from the text of a file; where it is not JSON, what is recognized of it is masked. */
export function toShownText(text: string): ShownText {
  let parsed: unknown
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    const masked = hideContacts(text)
    return { text: masked, isComplete: masked === text }
  }
  const stripped = stripPii(parsed)
  const isComplete = JSON.stringify(stripped) === JSON.stringify(parsed)
  return { text: isComplete ? text : JSON.stringify(stripped, null, 2), isComplete }
}
