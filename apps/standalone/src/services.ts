// Lists the services in the order in which they start. The gateway starts after the services that process its spans. Services drain in the
// reverse order of their start.
import { backfillRunner } from '@svc-server/backfill-runner/service'
import { eventsWriter } from '@svc-server/events-writer/service'
import { merger } from '@svc-server/merger/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import { publicApi } from '@svc-server/public-api/service'
import { stagingPropagator } from '@svc-server/staging-propagator/service'

// The propagator also runs in the mode `legacy`, because the log can contain spans that were staged in an earlier mode. The merger also
// runs in `events_only`, because the log can contain events that were accepted in an earlier mode.
export const services = [eventsWriter, stagingPropagator, merger, otlpGateway, publicApi, backfillRunner]

export const publicPort = publicApi.ports[0]!.port
export const otlpPort = otlpGateway.ports[0]!.port
export const grpcPort = otlpGateway.ports[1]!.port
