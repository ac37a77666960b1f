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
  let stop = () => {}
  const aborted = new Promise<Fallback>(resolve => {
    stop = () => resolve(fallback)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Pauses for a time, or until the signal is aborted; then nothing is left that a process would wait for. */
export async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await waitUnless(signal, over, undefined)
  clearTimeout(timer)
}
