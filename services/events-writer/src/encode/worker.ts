import { destinations } from '../destinations/index.ts'
import { serveEncoders } from './serve.ts'

await serveEncoders(destinations.list)
