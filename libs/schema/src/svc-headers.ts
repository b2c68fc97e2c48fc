// The headers that our SDKs add. Python 2 spells them with underscores, so each is read in both spellings;
// and in those of every alias of the brand.
import type { IncomingHttpHeaders } from 'node:http'
import { type BrandNames, createBrandNames } from './brand.ts'

const ours = createBrandNames()

/** Longer values are cut: they are copied into every record and row of the request. */
const maxSdkText = 128

export interface SdkIdentity {
  readonly name: string
  readonly version: string
}

/** SDK name and version as sent; `unknown` where a client does not say. */
export function sdkOf(headers: IncomingHttpHeaders, brand: BrandNames = ours): SdkIdentity {
  return { name: brand.name(textOf(svcHeader(headers, 'sdk-name', brand))), version: textOf(svcHeader(headers, 'sdk-version', brand)) }
}

/**
 * All values of `x-svc-<name>`, the brand as the request's SDK spells it. A header sent twice arrives as one
 * text joined by a comma, or as two entries when the spellings differ; both must stay visible to the caller,
 * so that a repeated version is refused and never silently resolved.
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
