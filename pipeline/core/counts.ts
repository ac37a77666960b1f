/** Made when it is needed: the validator starts without one. */
let numbers: Intl.NumberFormat | undefined

/** Formats a number for people: `1,234`. */
export function formatCount(count: number): string {
  // Formatting costs more than most pages take for all their other text.
  if (Number.isInteger(count) && count >= 0 && count < 1_000) return String(count)
  numbers ??= new Intl.NumberFormat('en')
  return numbers.format(count)
}

/** Formats a count with its noun: `1 agent`, `2 agents`. */
export function countThings(count: number, thing: string, things = `${thing}s`): string {
  return `${formatCount(count)} ${count === 1 ? thing : things}`
}

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Formats a size with up to three digits, such as `12.3 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return countThings(bytes, 'byte')
  // Rounded first, or 999,999 bytes would be 1000 KB.
  let size = Number(bytes.toPrecision(3))
  let unit = 0
  while (size >= 1_000 && unit < BYTE_UNITS.length - 1) {
    size /= 1_000
    unit++
  }
  return `${Number(size.toPrecision(3))} ${BYTE_UNITS[unit]}`
}
