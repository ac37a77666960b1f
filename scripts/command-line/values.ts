import { InvalidArgumentError } from 'commander'

/** A number as it is typed; refused with words that end the command, as the others. */
export const whole = (text: string) => {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 0)
    throw new InvalidArgumentError('must be a whole number.')
  return number
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
export const rid = (text: string) => {
  if (!UUID.test(text)) throw new InvalidArgumentError('must be the rid of a record, a UUID.')
  return text.toLowerCase()
}

export const instant = (text: string) => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new InvalidArgumentError('must be a time, as 2026-11-20T03:00Z.')
  return at
}
