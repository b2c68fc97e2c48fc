// An encoding thread that knows the destination of the tests, too.
import { events } from '../../src/destinations/events.ts'
import { serveEncoders } from '../../src/encode/serve.ts'
import { tallies } from './tallies.ts'

await serveEncoders([events, tallies])
