/** Resolves when all have come to their end; fails as the first of them that failed, once nothing goes on. */
export async function allSettledOrThrow(...work: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) {
    if (end.status === 'rejected') throw end.reason
  }
}
