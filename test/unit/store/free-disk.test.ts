import { expect, test } from 'vitest'
import { isDiskFull } from '../../../pipeline/core/disk-full.ts'
import { explainFailedWrite, WRITE_BYTES_MIN } from '../../../pipeline/store/free-disk.ts'

test.each([
  ['an input/output error without room', 'Input/output error', 0, true],
  ['an input/output error with room', 'Input/output error', WRITE_BYTES_MIN, false],
  ['a full disk that says so', 'No space left on device', WRITE_BYTES_MIN, true],
])(
  'a write that fails by %s is known as one on a full disk, or not',
  (_, message, free, isFull) => {
    const error = new Error(message)
    const explained = explainFailedWrite(error, free)
    expect(isDiskFull(explained)).toBe(isFull)
    if (!isFull) expect(explained).toBe(error)
  },
)
