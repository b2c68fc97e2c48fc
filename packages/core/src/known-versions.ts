// Warns of framework versions with which the integrations were not tested. Calls of these untested versions are still recorded, as far as
// their data has the format of the tested versions.
import { getGlobalLogger } from './logging/logger.ts'

const warned = /* @__PURE__ */ new Set<string>()

/** Warns once if the major version is untested. A version that cannot be parsed is ignored. Never throws. */
export function warnOfUnknownVersion(framework: string, version: unknown, knownMajors: readonly number[]): void {
  const major = typeof version === 'string' ? /^\d+(?=\.)/.exec(version)?.[0] : undefined
  if (major === undefined || knownMajors.includes(Number(major)) || warned.has(`${framework} ${major}`)) return
  warned.add(`${framework} ${major}`)
  const known = knownMajors.join(' and ')
  getGlobalLogger().warn(
    `${framework} ${version} is not tested with this SDK (version ${known} is): its calls might be recorded incompletely.`,
  )
}
