import { isUtf8 } from 'node:buffer'
import { createGunzip } from 'node:zlib'
import { ApiError } from './api-error.ts'
import type { App } from './app-type.ts'
import { isDeeperThan } from './json-depth.ts'

/**
 * JSON bodies in UTF-8; an empty one counts as none, since some clients announce JSON and send nothing. Keys that would reach a
 * prototype are dropped, as unknown keys are: a target chooses the names of the headers in a result.
 * A body that is nested more than `mostDepth` deep is refused before it is read: reading it takes a hundred times as long.
 */
export function acceptJson(app: App, mostDepth = Number.POSITIVE_INFINITY): void {
  const parse = app.getDefaultJsonParser('remove', 'remove')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    if (typeof body === 'string' || !isUtf8(body))
      return done(new ApiError('INPUT_INVALID', 'the body is not valid UTF-8'))
    if (mostDepth < body.length && isDeeperThan(body, mostDepth))
      return done(new ApiError('INPUT_INVALID', `the body is nested more than ${mostDepth} deep`))
    void parse(request, String(body), done)
  })
}

/** Unpacks bodies sent with `content-encoding: gzip`; the body limit holds for what they expand to. */
export function acceptGzip(app: App): void {
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding === 'identity') return done(null, payload)
    if (encoding !== 'gzip') {
      return done(new ApiError('MEDIA_TYPE_UNSUPPORTED', 'the content-encoding must be gzip or identity'))
    }
    const unpacked = createGunzip()
    let received = 0
    payload.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    payload.on('error', (error) => unpacked.destroy(error))
    unpacked.on('error', (error) => {
      Object.assign(error, { code: 'ERR_CONTENT_ENCODING', statusCode: 400 })
    })
    // Fastify compares this with content-length.
    Object.defineProperty(unpacked, 'receivedEncodedLength', { get: () => received })
    done(null, payload.pipe(unpacked))
  })
}
