const CURSOR_CHARS = 2_048

/** Reads where a list goes on; undefined at its end. */
export function readCursor(cursor: unknown): string | undefined {
  return typeof cursor === 'string' && cursor !== '' && cursor.length <= CURSOR_CHARS
    ? cursor
    : undefined
}
