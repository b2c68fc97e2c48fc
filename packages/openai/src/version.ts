// Which version of OpenAI's client it is.
import { warnOfUnknownVersion } from '@svc/core'
import { hasMethod } from './values.ts'

const testedMajors: readonly number[] = [6, 7]

/** Warns about a client of a version that is not tested. A client of another kind has no version. */
export function checkVersion(sdk: object): void {
  try {
    if (!hasMethod(sdk, 'getUserAgent')) return
    const userAgent: unknown = (sdk as { getUserAgent(): unknown }).getUserAgent()
    const [, version] = /\/JS (\S+)/.exec(String(userAgent)) ?? []
    warnOfUnknownVersion('openai', version, testedMajors)
  } catch {
    // It is only a hint.
  }
}
