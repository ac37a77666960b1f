const DISK_FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG']
/** Matches what Node, DuckDB, SQLite and LMDB say, of whom the last three have codes of their own. */
const DISK_FULL_TEXT = /no space left on device|disk is full/i

/** Tells whether something failed because nothing more can be written, or what it was caused by did. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', message, cause } = error as NodeJS.ErrnoException
  return DISK_FULL_CODES.includes(code) || DISK_FULL_TEXT.test(message) || isDiskFull(cause)
}

/** Finds which path a full disk was met at, as far as the error or what it was caused by tells. */
export function findFullPath(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { dest, path, message, cause } = error as NodeJS.ErrnoException & { dest?: string }
  return dest ?? path ?? /disk of (\S.*?) is full/.exec(message)?.[1] ?? findFullPath(cause)
}

/** Describes what a full disk means for a registry that has begun. */
export function describeFullDisk(dir: string): string {
  return `The ${nameFullDisk(dir)}.`
}

/** Names a full disk as a problem among others, without an article. */
export function nameFullDisk(dir: string): string {
  return `disk of ${dir} is full: reads go on, and writes resume once there is room`
}
