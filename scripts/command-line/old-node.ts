/** Ends the process with a sentence where its Node is older than `engines` of the package wants. */
export function refuseOldNode(engines: string, program: string): void {
  const wanted = engines.replace('>=', '')
  if (isAtLeast(process.versions.node, wanted)) return
  process.stderr.write(
    `${program} needs Node ${wanted} or newer; this is ${process.versions.node}\n`,
  )
  process.exit(1)
}

/** Compares versions number by number: `localeCompare` would load the rules of a language first, for 17 ms. */
function isAtLeast(version: string, wanted: string): boolean {
  const [is = [], least = []] = [version, wanted].map(text => text.split('.').map(Number))
  const differing = least.findIndex((number, i) => number !== is[i])
  return differing < 0 || Number(is[differing]) > Number(least[differing])
}
