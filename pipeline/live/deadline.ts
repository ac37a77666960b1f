/** What the work comes to, or `late` when it takes longer. What is late is left to end by itself. */
export async function within<Result, Late>(
  ms: number,
  work: Promise<Result>,
  late: Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<Late>(resolve => {
    timer = setTimeout(resolve, Math.max(0, Math.ceil(ms)), late)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}
