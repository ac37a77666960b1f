/** Waits for a promise, but only so long: closing a connection to a dead Redis would never end. */
export async function waitAtMost(promise: Promise<unknown>, ms = 2_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([promise.catch(() => undefined), timeout])
  clearTimeout(timer)
}
