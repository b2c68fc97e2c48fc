// The settings of the standalone itself, of its services and of its stores.
import { eventsWriter } from '@svc-server/events-writer/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import type { LoadedSettings, Settings } from '@svc-server/service/configuration'
import { workerPort } from '@svc-server/service/probes'
import { type Needs, storeProblems, storeSettings, storesOf } from '@svc-server/service/store'
import { stagingPropagator } from '@svc-server/staging-propagator/service'
import { embeddedStores } from '@svc-server/stores/embedded'
import { services } from './services.ts'

const stores = services.flatMap(({ needs }: { readonly needs: Needs }) => storesOf(needs, embeddedStores))

/** Settings in the order of the --help output. */
export const standaloneSettings: readonly Settings[] = [
  ...services.map(({ variables }) => variables),
  ...storeSettings(stores),
  { ...Object.fromEntries(services.flatMap(({ ports }) => ports.map(({ name, port }) => [name, port]))), workerPort },
]

/**
 * The writer and the propagator must be able to decompress every body that the gateway accepts. Their limits must be at least twice the
 * gateway's limit, because the size of a JSON body can almost double when the body is converted to protobuf.
 */
function sizeProblems(settings: LoadedSettings): readonly string[] {
  const { maxBodyBytes } = settings.of({ maxBodyBytes: otlpGateway.variables.maxBodyBytes })
  const readers = [eventsWriter.variables.maxRecordBytes, stagingPropagator.variables.maxRecordBytes]
  return readers
    .filter(maxRecordBytes => settings.of({ maxRecordBytes }).maxRecordBytes < 2 * maxBodyBytes)
    .map(
      ({ env }) =>
        `${env} is less than twice SVC_MAX_BODY_BYTES, so spans that were accepted could become dead letters. Raise ${env}, or lower SVC_MAX_BODY_BYTES.`,
    )
}

export const standaloneProblems = (settings: LoadedSettings): readonly string[] => [
  // Several services can report the same problem, so duplicates are removed.
  ...new Set(services.flatMap(service => service.problems(settings))),
  ...sizeProblems(settings),
  ...storeProblems([...new Set(stores)], settings),
]
