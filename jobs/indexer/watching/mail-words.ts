/** Longest name that a mail shows. */
export const NAME_CHARS_MAX = 120

/** Formats a time for people, in UTC. */
export function formatTime(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return 'at an unknown time'
  const [day, clock] = time.toISOString().split('T')
  return `${day} ${clock?.slice(0, 5)} UTC`
}

/** Writes a text on one line, and shortens it to this many characters. */
export function clip(text: string, most: number): string {
  const plain = text.replace(/\s+/g, ' ')
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`
}
