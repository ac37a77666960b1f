import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const UNRELEASED = '## [Unreleased]'

/**
 * Turns what the changelog calls unreleased into a version of that day. Throws where nothing is unreleased, or
 * the version is no newer than the newest one.
 */
export function releaseChanges(changelog, version, day) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is no version such as 1.2.0`)
  if (findNotes(changelog, 'Unreleased') === '')
    throw new Error('CHANGELOG.md has nothing unreleased')
  const newest = /^## \[(\d+\.\d+\.\d+)\]/m.exec(changelog)?.[1] ?? '0.0.0'
  if (!isNewer(version, newest)) throw new Error(`${version} is no newer than ${newest}`)
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${day}`)
}

/** Finds what the changelog says of a version, without its heading; undefined where it has none. */
export function findNotes(changelog, version) {
  const sections = changelog.split(/^## /m)
  const section = sections.find(text => text.startsWith(`[${version}]`))
  return section?.slice(section.indexOf('\n') + 1).trim()
}

function isNewer(version, than) {
  const [ours, theirs] = [version, than].map(version => version.split('.').map(Number))
  const at = ours.findIndex((number, place) => number !== theirs[place])
  return at !== -1 && ours[at] > theirs[at]
}

/** Writes the version and its section of the changelog; what it wrote is committed like any other change. */
function prepare(version) {
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync('CHANGELOG.md', releaseChanges(readFileSync('CHANGELOG.md', 'utf8'), version, day))
  execFileSync('npm', ['version', version, '--no-git-tag-version'], { stdio: 'inherit' })
}

/** Reads the version of this checkout and its notes. Throws where the changelog does not have it. */
function readRelease() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const notes = findNotes(readFileSync('CHANGELOG.md', 'utf8'), version)
  if (!notes) throw new Error(`CHANGELOG.md says nothing of ${version}`)
  return { version, notes }
}

/**
 * Creates a tag of the version, signed by the SSH key in the file, and verifies it as anybody may: by the keys in
 * .github/allowed_signers.
 */
function createTag(keyFile) {
  const { version, notes } = readRelease()
  const name = `v${version}`
  const git = (...args) =>
    execFileSync('git', ['-c', 'gpg.format=ssh', ...args], { stdio: 'inherit' })
  git(
    '-c',
    `user.signingkey=${keyFile}`,
    'tag',
    '--sign',
    '--cleanup=verbatim',
    name,
    '-m',
    `${name}\n\n${notes}\n`,
  )
  try {
    git('-c', 'gpg.ssh.allowedSignersFile=.github/allowed_signers', 'verify-tag', name)
  } catch (error) {
    git('tag', '--delete', name)
    throw error
  }
}

const commands = { prepare, tag: createTag, notes: () => console.log(readRelease().notes) }

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [command, ...args] = process.argv.slice(2)
  try {
    commands[command](...args)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
