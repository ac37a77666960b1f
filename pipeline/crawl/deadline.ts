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

/** Waits for work, or returns the fallback as soon as the signal is aborted. Late work ends by itself. */
export async function waitUnless<Result, Fallback>(
  signal: AbortSignal,
  work: Promise<Result>,
  fallback: Fallback,
): Promise<Result | Fallback> {
  if (signal.aborted) return fallback
  let stop = () => {}
  const aborted = new Promise<Fallback>(resolve => {
    stop = () => resolve(fallback)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Pauses for a time, or until the signal is aborted. */
export function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  return waitUnless(signal, new Promise(resolve => setTimeout(resolve, ms)), undefined)
}
