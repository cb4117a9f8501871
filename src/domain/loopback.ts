// Whether an address is this machine itself. Pure; asks no name server.

/** Takes the host name of a parsed URL. A name that merely resolves to this machine does not count. */
export function loopbackHost(hostname: string): boolean {
  return /^(?:localhost|(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
}
