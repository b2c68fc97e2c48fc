// Headers of our SDKs, for our brand and every alias. Version 2 of the Python SDK writes the x-svc headers with underscores, so both
// spellings are read.
import type { IncomingHttpHeaders } from 'node:http'
import { type BrandNames, createBrandNames } from './brand.ts'

const ours = createBrandNames()

/** Maximum characters of an SDK's name or version. The text is limited, because it is copied into every record and row of the request. */
const maxSdkText = 128

export interface SdkIdentity {
  readonly name: string
  readonly version: string
}

/** Returns the SDK of a request. If the header of the name or of the version is missing, the value is `unknown`. */
export function sdkOf(headers: IncomingHttpHeaders, brand: BrandNames = ours): SdkIdentity {
  return { name: brand.name(textOf(svcHeader(headers, 'sdk-name', brand))), version: textOf(svcHeader(headers, 'sdk-version', brand)) }
}

/**
 * Returns all values of `x-svc-<name>`. If a request repeats a header, Node joins the header's values into one text with commas. If a
 * request uses several spellings of the header's name, the result is an array with the values of each spelling. The caller can therefore
 * reject a request with different ingestion versions instead of silently choosing one version.
 */
export function svcHeader(headers: IncomingHttpHeaders, name: string, { prefixes }: BrandNames = ours): string | string[] | undefined {
  let found: string | string[] | undefined
  for (const prefix of prefixes) {
    for (const spelling of [`x-${prefix}-${name}`, `x_${prefix}_${name.replaceAll('-', '_')}`]) {
      const value = headers[spelling]
      if (value !== undefined) found = found === undefined ? value : [found, value].flat()
    }
  }
  return found
}

function textOf(value: string | string[] | undefined): string {
  const first = (Array.isArray(value) ? value[0] : value)?.trim()
  return first ? first.slice(0, maxSdkText) : 'unknown'
}
