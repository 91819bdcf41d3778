import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/runner/http/http-request.ts'
import { redirect, Trail } from '../../../src/runner/http/redirects.ts'

const post: HttpRequest = {
  method: 'POST',
  url: new URL('http://a.example/old?x=1'),
  headers: [
    ['Authorization', 'Bearer x'],
    ['Cookie', 'a=1'],
    ['Host', 'virtual.example'],
    ['Content-Type', 'text/plain'],
    ['X-Own', '1'],
  ],
  body: 'hello',
}

function follow(status: number, location: string | string[], request = post): HttpRequest {
  const result = redirect(request, { status, headers: { location } })
  if (result.kind !== 'to') throw new Error(`not followed: ${result.kind}`)
  return result.request
}

const names = (request: HttpRequest) => request.headers.map(([name]) => name)

describe('the method', () => {
  test.each([
    [301, 'POST', 'GET', null],
    [302, 'POST', 'GET', null],
    [303, 'POST', 'GET', null],
    [307, 'POST', 'POST', 'hello'],
    [308, 'POST', 'POST', 'hello'],
    [301, 'PUT', 'PUT', 'hello'],
    [302, 'DELETE', 'DELETE', 'hello'],
    [303, 'PUT', 'GET', null],
    [301, 'HEAD', 'HEAD', 'hello'],
    [303, 'HEAD', 'HEAD', 'hello'],
  ])('after %i makes of %s a %s', (status, method, expected, body) => {
    const next = follow(status, '/new', { ...post, method })
    expect(next).toMatchObject({ method: expected, body })
    expect(names(next).includes('Content-Type')).toBe(body !== null)
  })
})

describe('the address', () => {
  test.each([
    ['/new', 'http://a.example/new'],
    ['new?y=2#part', 'http://a.example/new?y=2'],
    ['//b.example/', 'http://b.example/'],
    ['https://a.example/', 'https://a.example/'],
    ['http://user:secret@b.example/', 'http://b.example/'],
    [Buffer.from('/ä').toString('latin1'), 'http://a.example/%C3%A4'],
  ])('in Location %s is %s', (location, expected) => {
    expect(follow(302, location).url.href).toBe(expected)
  })

  test.each([['ftp://a.example/'], ['javascript:alert(1)'], ['http://'], [['/a', '/b']]])(
    'cannot be %s',
    (location) => {
      expect(redirect(post, { status: 302, headers: { location } })).toEqual({ kind: 'invalid' })
    },
  )

  test.each([
    [200, { location: '/new' }],
    [304, { location: '/new' }],
    [302, {}],
    [302, { location: '' }],
  ])('is none for %i with %j', (status, headers: Record<string, string>) => {
    expect(redirect(post, { status, headers })).toEqual({ kind: 'none' })
  })
})

describe('what is secret', () => {
  const secrets = ['X-Api-Key', 'x-auth-token', 'Proxy-Authorization', 'X-Amz-Security-Token', 'session-id']

  test.each(secrets)('in %s stays as well', (name) => {
    const request: HttpRequest = {
      ...post,
      headers: [
        [name, '1'],
        ['X-Author', 'Ann'],
      ],
    }
    expect(names(follow(307, '/new', request))).toEqual([name, 'X-Author'])
    expect(names(follow(307, 'http://b.example/', request))).toEqual(['X-Author'])
  })

  test('stays on the same origin', () => {
    expect(names(follow(307, '/new'))).toEqual(['Authorization', 'Cookie', 'Host', 'Content-Type', 'X-Own'])
  })

  test.each(['http://b.example/', 'https://a.example/', 'http://a.example:81/'])(
    'does not go to %s, nor back from there',
    (elsewhere) => {
      const next = follow(307, elsewhere)
      expect(names(next)).toEqual(['Content-Type', 'X-Own'])
      expect(names(follow(307, 'http://a.example/', next))).toEqual(['Content-Type', 'X-Own'])
    },
  )
})

describe('the trail', () => {
  const answer = { status: 302, headers: {} }

  test.each<[string, Partial<HttpRequest>, boolean]>([
    ['nothing', {}, true],
    ['its method', { method: 'GET' }, false],
    ['its URL', { url: new URL('http://a.example/old?x=2') }, false],
    ['its body', { body: 'other' }, false],
    ['a header', { headers: [['X-Own', '2']] }, false],
    ['the value of a header', { headers: post.headers.map(([name]) => [name, 'x'] as const) }, false],
  ])('knows a request that differs in %s: %o', (_what, changes, expected) => {
    const trail = new Trail()
    trail.add(post, answer)
    expect(trail.has({ ...post, ...changes })).toBe(expected)
  })

  test('forgets what was before a cookie', () => {
    const trail = new Trail()
    trail.add(post, answer)
    trail.add(post, { status: 302, headers: { 'set-cookie': 'a=1' } })
    expect(trail.has(post)).toBe(false)
  })
})
