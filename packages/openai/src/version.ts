// Detects the OpenAI client's version.
import { warnOfUnknownVersion } from '@svc/core'
import { hasMethod } from './values.ts'

const testedMajors: readonly number[] = [6, 7]

/** Warns once if the client's major version is untested. Objects that are not OpenAI clients are ignored. */
export function checkVersion(sdk: object): void {
  try {
    if (!hasMethod(sdk, 'getUserAgent')) return
    const userAgent: unknown = (sdk as { getUserAgent(): unknown }).getUserAgent()
    const [, version] = /\/JS (\S+)/.exec(String(userAgent)) ?? []
    warnOfUnknownVersion('openai', version, testedMajors)
  } catch {
    // If the version cannot be read, no warning is logged. Calls still work.
  }
}
