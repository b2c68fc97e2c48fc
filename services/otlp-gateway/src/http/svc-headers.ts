// The headers that our SDKs add. Python 2 spells them with underscores, so each is read in both spellings.
import type { IncomingHttpHeaders } from 'node:http'

/** Longer values are cut: they are copied into every record and row of the request. */
const maxSdkText = 128

export interface SdkIdentity {
  readonly name: string
  readonly version: string
}

/** SDK name and version as sent; `unknown` where a client does not say. */
export function sdkOf(headers: IncomingHttpHeaders): SdkIdentity {
  return { name: textOf(svcHeader(headers, 'sdk-name')), version: textOf(svcHeader(headers, 'sdk-version')) }
}

/**
 * All values of `x-svc-<name>`. A header sent twice arrives as one text joined by a comma, or as two entries when the spellings
 * differ; both must stay visible to the caller, so that a repeated version is refused and never silently resolved.
 */
export function svcHeader(headers: IncomingHttpHeaders, name: string): string | string[] | undefined {
  const hyphens = headers[`x-svc-${name}`]
  const underscores = headers[`x_svc_${name.replaceAll('-', '_')}`]
  if (underscores === undefined) return hyphens
  if (hyphens === undefined) return underscores
  return [hyphens, underscores].flat()
}

function textOf(value: string | string[] | undefined): string {
  const first = (Array.isArray(value) ? value[0] : value)?.trim()
  return first ? first.slice(0, maxSdkText) : 'unknown'
}
