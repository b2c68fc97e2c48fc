// What runs here, in the order in which it starts: a gateway accepts once what it feeds is there. Drained the other way round.
import { backfillRunner } from '@svc-server/backfill-runner/service'
import { eventsWriter } from '@svc-server/events-writer/service'
import { merger } from '@svc-server/merger/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import { publicApi } from '@svc-server/public-api/service'
import { stagingPropagator } from '@svc-server/staging-propagator/service'

// In legacy mode, too, in which nothing is staged, the propagator runs: an earlier mode may have left something. So does the merger in events_only, where one has.
export const services = [eventsWriter, stagingPropagator, merger, otlpGateway, publicApi, backfillRunner]

export const publicPort = publicApi.ports[0]!.port
export const otlpPort = otlpGateway.ports[0]!.port
export const grpcPort = otlpGateway.ports[1]!.port
