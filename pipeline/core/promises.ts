/** Resolves when all have resolved; otherwise rejects with the first rejection, but only after all have settled. */
export async function allSettledOrThrow(...work: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(work)) {
    if (end.status === 'rejected') throw end.reason
  }
}
