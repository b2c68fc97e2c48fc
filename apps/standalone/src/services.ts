// Lists the services in the order in which they start: a gateway accepts spans only after the services behind it run. The services drain in
// the reverse order.
import { backfillRunner } from '@svc-server/backfill-runner/service'
import { eventsWriter } from '@svc-server/events-writer/service'
import { merger } from '@svc-server/merger/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import { publicApi } from '@svc-server/public-api/service'
import { stagingPropagator } from '@svc-server/staging-propagator/service'

// The propagator also runs in the mode `legacy`, in which no spans are staged, because spans that were staged in an earlier mode can be on
// the log. The merger runs in `events_only`, because events that were accepted in an earlier mode can be on the log.
export const services = [eventsWriter, stagingPropagator, merger, otlpGateway, publicApi, backfillRunner]

export const publicPort = publicApi.ports[0]!.port
export const otlpPort = otlpGateway.ports[0]!.port
export const grpcPort = otlpGateway.ports[1]!.port
