// The produce bench sends bytes to this server over plain sockets. The server responds with one byte after every `recordBytes` bytes.
import { createServer } from 'node:net'

const recordBytes = Number(process.argv[2])
const server = createServer(socket => {
  let open = recordBytes
  socket.setNoDelay().on('data', ({ length }) => {
    open -= length
    if (open > 0) return
    open += recordBytes
    socket.write('.')
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())
