import { expect, test } from 'vitest'
import { Compressor, isCompressible } from '../../../api/responses/compression.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['BR', 'br'],
  ['gzip;q=0', undefined],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['gzip;q=nonsense', undefined],
  ['deflate, zstd', 'zstd'],
  ['gzip, zstd', 'zstd'],
  ['gzip, br, zstd', 'br'],
])('Accept-Encoding %j is answered with %j', (accepted, chosen) => {
  expect(new Compressor().chooseEncoding(accepted)).toBe(chosen)
})

test.each([
  [1_399, 'application/json; charset=utf-8', false],
  [1_400, 'application/json; charset=utf-8', true],
  [1_400, 'application/yaml; charset=utf-8', true],
  [1_400, 'application/http-message-signatures-directory+json', true],
  [1_400, 'text/html; charset=utf-8', true],
  [1_400, 'image/png', false],
])('%d bytes of %s: %s', (length, type, is) => {
  expect(isCompressible(length, type)).toBe(is)
})
