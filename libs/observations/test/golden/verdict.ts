// The golden rows and the mapping version must change together. With changed rows and an old version, the engine would treat a second
// insert attempt as a repetition and ignore its different rows.
export type GoldenVersions = Readonly<Record<string, string>>

/** Returns undefined if the version matches the rows. `hash` is the hash of the current rows. */
export function goldenVerdict(known: GoldenVersions, version: string, hash: string): string | undefined {
  if (known[version] === hash) return undefined
  const line = (of: string) => `add the line "${of}": "${hash}" to libs/observations/test/golden/versions.json`
  if (known[version] === undefined) return `Version ${version} of the mapping has no golden rows yet: ${line(version)}.`
  const next = String(Number(version) + 1)
  return `The golden rows are no longer those of version ${version} of the mapping: raise mappingVersion to '${next}' in libs/observations/src/block/mapping-version.ts and ${line(next)}.`
}
