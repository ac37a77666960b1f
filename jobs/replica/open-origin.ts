import { isBucketAddress } from '../../pipeline/core/publish-target.ts'
import type { Fetcher } from '../../pipeline/fetch/http.ts'
import {
  type Origin,
  openBucketOrigin,
  openFolderOrigin,
  openHttpOrigin,
} from '../../pipeline/replica/origin.ts'

/** Opens what a registry publishes, by its address, its bucket or its folder. */
export async function openOrigin(
  from: string,
  fetcher: Fetcher,
  signal: AbortSignal,
): Promise<Origin> {
  if (isBucketAddress(from)) {
    // The SDK takes as long to load as everything else: only who needs it waits for it.
    const { openBucket } = await import('../../pipeline/replica/bucket.ts')
    return openBucketOrigin(openBucket(from, signal))
  }
  return /^https?:/.test(from) ? openHttpOrigin(fetcher, from) : openFolderOrigin(from)
}
