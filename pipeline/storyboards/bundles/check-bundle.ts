import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseStoryboard, parseTestKit, summarizeStoryboard } from '../bundle-text.ts'
import type { BundleFolder } from './bundle-folder.ts'
import { listFiles } from './list-files.ts'

/** Bounds of a bundle with its schemas. */
export const bundleBounds = {
  files: 10_000,
  bytes: 100_000_000,
  /** Bytes of one storyboard: parsing takes time and memory by them. */
  yamlBytes: 1_000_000,
} as const
/** Faults that are told of a bundle. */
const FAULTS_MAX = 5

/** Files that are storyboards, where they have phases. */
export const STORYBOARD_FILE = /^(universal|protocols|specialisms)\/.*\.yaml$/
const KIT_FILE = /^test-kits\/[\w-]+\.yaml$/
const PHASES = /^phases:/m

/** Checks the files of a bundle, and its storyboards by their schema. Returns sentences, a few at most. */
export function checkBundle({ folder, schemas }: BundleFolder): string[] {
  const bound = checkBounds(folder) ?? (schemas === undefined ? undefined : checkBounds(schemas))
  if (bound !== undefined) return [bound]
  const faults: string[] = []
  let storyboards = 0
  for (const { path } of listFiles(folder)) {
    if (faults.length >= FAULTS_MAX) break
    const read = readFile(join(folder, path), path)
    if (read === undefined) continue
    if (read.isStoryboard) storyboards++
    faults.push(...read.faults.map(fault => `${path}: ${fault}`))
  }
  if (storyboards === 0 && faults.length === 0) return ['it has no storyboard']
  return faults.slice(0, FAULTS_MAX)
}

/** Checks number, size and kind of the files below a folder. */
function checkBounds(folder: string): string | undefined {
  const files = listFiles(folder)
  if (files.length > bundleBounds.files) return `it has more than ${bundleBounds.files} files`
  const link = files.find(({ isPlain }) => !isPlain)
  if (link !== undefined) return `${link.path} is a link, and links are not followed`
  const bytes = files.reduce((sum, { path }) => sum + lstatSync(join(folder, path)).size, 0)
  return bytes > bundleBounds.bytes ? `it has more than ${bundleBounds.bytes} bytes` : undefined
}

/** Reads a file as the storyboard or test kit that its place makes it; undefined for another. */
function readFile(
  file: string,
  path: string,
): { isStoryboard: boolean; faults: string[] } | undefined {
  const [mayBeStoryboard, isKit] = [STORYBOARD_FILE.test(path), KIT_FILE.test(path)]
  if (!mayBeStoryboard && !isKit) return undefined
  if (lstatSync(file).size > bundleBounds.yamlBytes) {
    return { isStoryboard: mayBeStoryboard, faults: ['the file is too large'] }
  }
  const text = readFileSync(file, 'utf8')
  const isStoryboard = mayBeStoryboard && PHASES.test(text)
  if (mayBeStoryboard && !isStoryboard) return undefined
  try {
    return { isStoryboard, faults: isKit ? checkKit(text) : checkStoryboard(text) }
  } catch (error) {
    const [line = ''] = String((error as Error).message).split('\n')
    return { isStoryboard, faults: [`it cannot be read as YAML: ${line}`] }
  }
}

function checkKit(text: string): string[] {
  return parseTestKit(text) === undefined ? ['it is no test kit'] : []
}

function checkStoryboard(text: string): string[] {
  const read = parseStoryboard(text)
  if ('faults' in read) return read.faults
  // Lists read the head without what follows, in which an alias of it may be defined.
  return summarizeStoryboard(text) === undefined ? ['its head cannot be read by itself'] : []
}
