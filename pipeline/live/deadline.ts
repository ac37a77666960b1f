/** Waits for work, or returns `late` when it takes longer. Late work ends by itself. */
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
