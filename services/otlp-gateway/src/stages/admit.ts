// Chooses the route of a trace request from its headers, before the body is read.
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '@svc-server/errors'
import { parseIngestionVersion } from '@svc-server/modes/ingestion-version'
import { type Route, routeFor } from '@svc-server/modes/route'
import { sdkUpgrade } from '@svc-server/modes/sdk'
import type { OtelBehaviour, WriteMode } from '@svc-server/modes/write-mode'
import { createBrandNames } from '@svc-server/schema/brand'
import { sdkOf, svcHeader } from '@svc-server/schema/svc-headers'

interface Terms {
  readonly sdkName: string
  readonly sdkVersion: string
  readonly ingestionVersion: number | null
  /** The write mode of the records. Readers use this mode instead of their own mode. */
  readonly writeMode: WriteMode
  readonly route: Route
  readonly reason: string
}

/** `too_old`: an SDK that events_only does not accept (contract §7.1). The caller counts the refusal and throws the error. */
type Admission =
  | { readonly kind: 'admitted'; readonly terms: Terms }
  | { readonly kind: 'too_old'; readonly sdk: Pick<Terms, 'sdkName' | 'sdkVersion'>; readonly refusal: AppError }

export interface Modes {
  readonly writeMode: WriteMode
  readonly otelBehaviour: OtelBehaviour
  /** Brand names that headers and SDK names can contain in place of `svc`. */
  readonly brandAliases?: readonly string[]
}

/**
 * Throws `ingestion_version_invalid` for a version that is not a number, is too high, or is given twice. If the stage used a
 * default version instead, the client would not notice the mistake (F32).
 */
export function createAdmitStage({ writeMode, otelBehaviour, brandAliases }: Modes) {
  const brand = createBrandNames(brandAliases)
  return function admit(headers: IncomingHttpHeaders): Admission {
    const version = parseIngestionVersion(svcHeader(headers, 'ingestion-version', brand))
    if (!version.ok) throw new AppError('ingestion_version_invalid', version.message)
    const { name: sdkName, version: sdkVersion } = sdkOf(headers, brand)
    const upgrade = writeMode === 'events_only' ? sdkUpgrade(sdkName, sdkVersion) : undefined
    if (upgrade !== undefined) {
      return { kind: 'too_old', sdk: { sdkName, sdkVersion }, refusal: new AppError('sdk_too_old', `${upgrade}.`) }
    }
    const { route, reason } = routeFor({ writeMode, otelBehaviour, ingestionVersion: version.value, sdkName, sdkVersion })
    return { kind: 'admitted', terms: { sdkName, sdkVersion, ingestionVersion: version.value, writeMode, route, reason } }
  }
}
