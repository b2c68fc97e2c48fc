// Lists the services in the order in which they start. The gateway starts after the services that process its spans.
import { backfillRunner } from '@svc-server/backfill-runner/service'
import { eventsWriter } from '@svc-server/events-writer/service'
import { merger } from '@svc-server/merger/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import { publicApi } from '@svc-server/public-api/service'
import { stagingPropagator } from '@svc-server/staging-propagator/service'

// The propagator also runs in `legacy`, and the merger in `events_only`, because the log can contain data of an earlier mode.
export const services = [eventsWriter, stagingPropagator, merger, otlpGateway, publicApi, backfillRunner]

export const publicPort = publicApi.ports[0]!.port
export const otlpPort = otlpGateway.ports[0]!.port
export const grpcPort = otlpGateway.ports[1]!.port
