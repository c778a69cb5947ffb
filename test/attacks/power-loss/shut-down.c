/*
 * Stops a file system as a power loss does: what is in memory, and the journal that is not written yet, is lost.
 *
 *   shut-down MOUNT_POINT
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>

/* FS_IOC_SHUTDOWN, which ext4, XFS, F2FS and others have; 2 does not flush the journal. */
#define SHUT_DOWN _IOR('X', 125, uint32_t)

int main(int count, char **arguments) {
  uint32_t without_flush = 2;
  int directory = count == 2 ? open(arguments[1], O_RDONLY) : -1;
  if (directory < 0 || ioctl(directory, SHUT_DOWN, &without_flush) != 0) {
    perror("shut-down");
    return 1;
  }
  return 0;
}
