// What runs here, in the order in which it starts: a gateway accepts once what it feeds is there. Drained the other way round.
import { backfillRunner } from '@svc-server/backfill-runner/service'
import { eventsWriter } from '@svc-server/events-writer/service'
import { otlpGateway } from '@svc-server/otlp-gateway/service'
import { publicApi } from '@svc-server/public-api/service'
import { stagingPropagator } from '@svc-server/staging-propagator/service'

// In legacy mode, too, in which nothing is staged, the propagator runs: an earlier mode may have left something.
export const services = [eventsWriter, stagingPropagator, otlpGateway, publicApi, backfillRunner]

export const publicPort = publicApi.ports[0]!.port
export const otlpPort = otlpGateway.ports[0]!.port
export const grpcPort = otlpGateway.ports[1]!.port
