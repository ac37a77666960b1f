/**
 * Waits for a promise, at most `ms` milliseconds; then returns `fallback`. Nothing is cancelled: what is still
 * running needs a deadline of its own.
 */
export async function waitWithin<Result, Fallback>(
  ms: number,
  promise: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<Fallback>(resolve => {
    timer = setTimeout(resolve, Math.max(0, Math.ceil(ms)), fallback)
  })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}
